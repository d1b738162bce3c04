#!/usr/bin/env python3
"""Checks the house itself: who includes whom, file sizes, tests of passes and messages. Exit 1 with a list."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
# Which rooms a room's sources may include, besides itself, LLVM and MLIR.
MAY = {
    "Support": set(),
    "Module": {"Support"},
    "Simulator": {"Support", "Module"},
    # A schedule or a policy is a row of the planner's table in the IR, too.
    "Dialect": {"Support", "Planner"},
    "Analysis": {"Support", "Dialect"},
    "Language": {"Support", "Dialect", "Analysis"},
    "Algebra": {"Support", "Dialect", "Analysis", "Numerics"},
    "Numerics": {"Support", "Dialect", "Analysis"},
    "Reference": {"Support", "Dialect", "Numerics"},
    "Kernels": {"Support", "Dialect", "Analysis"},
    "Planner": {"Support"},
    # One clock: a plan is searched for by the step that the simulator plays.
    "Search": {"Support", "Planner", "Module", "Simulator"},
    "Planning": {"Support", "Module", "Simulator", "Planner", "Search", "Dialect", "Analysis"},
    "Codegen": {"Support", "Module", "Dialect", "Analysis", "Numerics"},
    # The planner's tables of choices: a key's values are the rows of such a table, so that each is named once.
    "Strategy": {"Support", "Module", "Planner"},
    "Runtime": {"Support", "Module", "Simulator"},
    "Text": {"Support", "Runtime"},
    "Mpi": {"Runtime"},
}
COMPILER = {"Dialect", "Language", "Algebra", "Numerics", "Kernels", "Planner", "Planning", "Search", "Codegen", "Strategy"}
MAY["Driver"] = {"Support", "Module", "Simulator", *COMPILER}
MAY |= {
    "plc-compile": {"Driver", "Support"},
    "plc-opt": {"Driver", "Support", *COMPILER},
    "plc-run": {"Module", "Runtime", "Simulator", "Text"},
    "plc-interpret": {"Support", "Dialect", "Language", "Algebra", "Numerics", "Reference", "Strategy", "Module", "Runtime"},
    "plc-lsp-server": {"Support", "Dialect", "Language"},
}
# Rooms whose sources may include no LLVM and no MLIR, not even through another header.
WITHOUT_LLVM = {"Module", "Mpi", "Planner", "Runtime", "Search", "Simulator", "Text"}
# The runtime's kernel ABI: a plain header, and what code generation targets.
ALWAYS = {"plc/Runtime/KernelABI.h"}
# Where words are compared as text, because they come as text: the language's names, and words of others' file formats.
READS_WORDS = {"lib/Runtime/Npy.cpp", "lib/Runtime/Safetensors.cpp", "lib/Codegen/Target.cpp"}
LIMITS = {".cpp": 600, ".h": 600, ".td": 400, ".py": 400}

problems = []


def sources(*folders):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in LIMITS and path.is_file():
                yield path


def reached(path, seen=None):
    """The headers of LLVM and MLIR that a file includes, also through our own headers."""
    seen = set() if seen is None else seen
    for include in re.findall(r'#include ["<]([^">]+)[">]', path.read_text()):
        header = root / "include" / include
        if include.startswith(("llvm/", "mlir/", "dialects/")):
            yield include
        elif include.startswith("plc/") and header.exists() and header not in seen:
            seen.add(header)
            yield from reached(header, seen)


for path in sources("lib", "include/plc", "tools", "dialects"):
    relative = path.relative_to(root)
    text = path.read_text()
    lines = text.count("\n")
    if lines > LIMITS[path.suffix]:
        problems.append(f"{relative}: {lines} lines, at most {LIMITS[path.suffix]}")
    if re.search(r"(Utils?|Helpers?|Common|Misc)\.", path.name):
        problems.append(f"{relative}: is named Utils, Helpers, Common or Misc")
    parts = relative.parts
    room = parts[1] if parts[0] in ("lib", "tools") else parts[2] if parts[:2] == ("include", "plc") else None
    if room not in MAY:
        continue
    if room != "Language" and str(relative) not in READS_WORDS:
        for word in re.findall(r'[!=]= ("[A-Za-z_]\w*")', text):
            problems.append(f"{relative}: compares with {word}; a choice is an enum with a table (Support/Choice.h)")
    for include in re.findall(r'#include "(plc/[^"]+)"', text):
        other = include.split("/")[1]
        if other != room and other not in MAY[room] and include not in ALWAYS:
            problems.append(f"{relative}: {room} may not include {include}")
    if room in WITHOUT_LLVM:
        for include in reached(path):
            problems.append(f"{relative}: {room} may not include {include}")

tests = "\n".join(p.read_text(errors="replace") for p in (root / "test").rglob("*") if p.is_file())
for path in sorted((root / "include/plc").rglob("Passes.td")):
    for flag in re.findall(r'def \w+\s*:\s*\w*Pass<"([^"]+)"', path.read_text()):
        if not re.search(rf"\b{flag}\b", tests):
            problems.append(f"{path.relative_to(root)}: no test runs --{flag}")
# Messages of verifiers and passes: each part of two words or more.
ERROR = re.compile(r'\bemit(?:Op|Option)?Error\(((?:"(?:[^"\\\n]|\\.)*"|[^;"])*);')
words = " ".join(tests.split())
for path in sources("lib"):
    for statement in ERROR.findall(path.read_text()):
        for part in re.findall(r'"((?:[^"\\\n]|\\.)*)"', re.sub(r'"\s*\n\s*"', "", statement)):
            part = " ".join(part.replace('\\"', '"').split())
            if len(re.findall(r"[A-Za-z]{2,}", part)) > 1 and part not in words:
                problems.append(f"{path.relative_to(root)}: no test has the message '{part}'")
for path in sorted((root / "dialects").rglob("*.td")):
    for op, body in re.findall(r'def (?:Ein|Plan|Blis)_\w+\s*:\s*\w+<"([a-z_]+)"(.*?)(?=\ndef |\Z)', path.read_text(), re.S):
        described = "summary" in body and "description" in body
        if not described and not re.match(r', "', body):  # a class may take both as its arguments
            problems.append(f"{path.relative_to(root)}: '{op}' has no summary or description")
    if not (path.parent / "Rationale.md").exists():
        problems.append(f"{path.parent.relative_to(root)}: no Rationale.md")

print("\n".join(problems) if problems else "house rules hold")
sys.exit(1 if problems else 0)
