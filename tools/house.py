#!/usr/bin/env python3
"""Checks the house itself: who includes whom, file sizes, tests of passes and messages. Exit 1 with a list."""
import pathlib
import re
import statistics
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
    "Language": {"Support", "Module", "Dialect", "Analysis"},
    "Import": {"Support", "Module", "Language"},
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
    # The keys of an optimizer are the settings that its rules declare.
    "Strategy": {"Support", "Module", "Planner", "Dialect", "Language"},
    "Runtime": {"Support", "Module", "Simulator"},
    "Commands": {"Support", "Module", "Simulator", "Runtime"},
    "Text": {"Support", "Runtime"},
    "Mpi": {"Runtime"},
}
COMPILER = {"Dialect", "Language", "Import", "Algebra", "Numerics", "Kernels", "Planner", "Planning", "Search", "Codegen", "Strategy"}
MAY["Driver"] = {"Support", "Module", "Simulator", *COMPILER}
MAY |= {
    "plc-compile": {"Driver", "Support"},
    "plc-opt": {"Driver", "Support", *COMPILER},
    "plc-run": {"Simulator", "Commands", "Text"},
    "plc-interpret": {"Support", "Dialect", "Language", "Algebra", "Numerics", "Reference", "Strategy", "Module", "Runtime", "Commands"},
    "plc-lsp-server": {"Support", "Dialect", "Language"},
}
# Of a room in folders: what each folder may include of the others. Their order is a stack: no folder names a later one.
FOLDERS = {
    "Algebra": {"Base": set(), "Loops": {"Base"}, "Simplify": {"Base", "Loops"}, "Precision": {"Base", "Loops"}, "Batch": {"Base", "Loops"},
                "Entries": {"Base", "Batch"}, "Shard": {"Base"}, "Adjoint": {"Base", "Loops"}},
    "Commands": {"Logs": set(), "Text": set()},
    "Dialect": {"Ein": set(), "Plan": {"Ein"}, "Blis": set()},
    "Import": {"Read": set(), "Net": set(), "Canon": {"Net"}, "Axes": {"Net"}, "Rules": {"Net"}, "Text": {"Net", "Axes", "Rules"}},
    "Language": {"Syntax": set(), "Errors": set(), "Emit": {"Syntax"}, "Elaborate": {"Syntax", "Emit"}, "Files": {"Syntax", "Emit", "Elaborate"}},
    "Planner": {"Base": set(), "Cuts": {"Base"}, "Schedule": {"Base"}, "Addresses": {"Base"},
                "Remat": {"Base", "Cuts", "Schedule", "Addresses"}},
    "Planning": {"Base": set(), "Table": set(), "Schedule": {"Base"}, "Addresses": {"Base"}, "Remat": {"Base", "Schedule", "Addresses"},
                 "Partition": {"Base", "Schedule", "Remat"},
                 "Proof": {"Base", "Table", "Schedule", "Addresses", "Remat", "Partition"},
                 "Report": {"Schedule", "Addresses", "Remat", "Partition", "Proof"}},
    "Runtime": {"Base": set(), "Tensors": {"Base"}, "Execute": {"Base"}, "Processes": {"Base", "Execute"},
                "CApi": {"Base", "Tensors", "Execute"}},
}
# Rooms whose sources may include no LLVM and no MLIR, not even through another header.
WITHOUT_LLVM = {"Commands", "Module", "Mpi", "Planner", "Runtime", "Search", "Simulator", "Text"}
# The runtime's kernel ABI: a plain header, and what code generation targets.
ALWAYS = {"plc/Runtime/KernelABI.h"}
# Where words are compared as text, because they come as text: the language's names, and words of others' file formats.
READS_WORDS = {"lib/Runtime/Tensors/Npy.cpp", "lib/Runtime/Tensors/Safetensors.cpp", "lib/Codegen/Target.cpp",
               # names of PyTorch's operators and values of their arguments
               "lib/Import/Canon/Elements.cpp", "lib/Import/Canon/Layers.cpp", "lib/Import/Canon/Shapes.cpp", "lib/Import/Canon/Canon.cpp",
               "lib/Import/Canon/Formulas.cpp", "lib/Import/Canon/Losses.cpp", "lib/Import/Canon/Windows.cpp",
               "lib/Import/Text/Words.cpp", "lib/Import/Text/Assemble.cpp",
               # words of rules' texts
               "lib/Import/Text/Forms.cpp", "lib/Import/Text/Steps.cpp"}
# A name with fields is an attribute in IR (dialects/Ein/EinNames.td), and fields in modules. Only these files make its text, for people,
# or read it, from the command line.
NAME_TEXTS = {
    r"\bparseResultName\(": {"include/plc/Support/ResultName.h", "lib/Commands/Infer.cpp", "lib/Commands/OptionTable.cpp", "lib/Driver/Compile.cpp",
                             "lib/Algebra/Entries/EinEntry.cpp", "lib/Algebra/Entries/NumericsPipeline.cpp",  # options of passes
                             "tools/plc-interpret/Source.cpp", "tools/plc-interpret/ListEntries.cpp"},
    r"\bgradientName\(": {"include/plc/Support/ResultName.h", "include/plc/Module/Entries.h", "lib/Dialect/Ein/Names.cpp"},
    r'"(?:part|state|whole|random|grad)\(': {"include/plc/Support/ResultName.h", "lib/Dialect/Ein/Names.cpp"},
}
LIMITS = {".cpp": 500, ".h": 500, ".td": 400, ".py": 400}
# Lines of a function's body in C++.
FUNCTION_LIMIT = 80
# Words of a sentence on a page: the median of all, and the most of any.
MEDIAN_WORDS, MOST_WORDS = 18, 45
MOST_COLUMNS = 120

# Files in one folder, itself and not those in it.
FOLDER_LIMIT = 45

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


def folderOf(relative):
    """The folder within a room of a file of lib/ or include/plc/: 'Cuts' of lib/Planner/Cuts/Flow.h; None if it lies in none."""
    parts = relative.parts[2:] if relative.parts[0] == "lib" else relative.parts[3:] if relative.parts[0] == "include" else ()
    return parts[0] if len(parts) > 1 else None


def included(path, room, include):
    """The folder of the same room that an include names, if it names one."""
    if include.startswith("plc/"):
        return folderOf(pathlib.PurePath("include") / include) if include.split("/")[1] == room else None
    return include.split("/")[0] if (root / "lib" / room / include).exists() and "/" in include else None


def describedRooms():
    """The table of rooms in docs/architecture.md: 'Planner' or 'Planner/Cuts' to the rooms or folders that it may rely on."""
    rows = re.findall(r"^\| `([A-Z]\w*(?:/\w+)?)` \|.*\| ([^|]*) \|$", (root / "docs/architecture.md").read_text(), re.M)
    return {name: set(re.findall(r"`(\w+)`", others)) for name, others in rows}


def checkRooms():
    """The page on architecture says of rooms and folders what MAY and FOLDERS say."""
    known = {room: others - {"Support"} for room, others in MAY.items() if (root / "lib" / room).exists()}
    known |= {f"{room}/{folder}": others for room, folders in FOLDERS.items() for folder, others in folders.items()}
    described = {name: others - {"Support"} for name, others in describedRooms().items()}
    for name in sorted(known.keys() | described.keys()):
        if known.get(name) != described.get(name):
            problems.append(f"docs/architecture.md: '{name}' may rely on {sorted(described.get(name, []))}, but by this script on "
                            f"{sorted(known.get(name, []))}")
    for room, folders in FOLDERS.items():
        order = list(folders)
        for folder, others in folders.items():
            for other in others:
                if order.index(other) > order.index(folder):
                    problems.append(f"tools/house.py: {room}/{folder} may include {other}, which stands behind it")
        for folder in {p.name for top in ("lib", "include/plc") for p in (root / top / room).glob("*") if p.is_dir() and p.name != "std"} - folders.keys():
            problems.append(f"tools/house.py: {room}/{folder} is not in FOLDERS")


def checkFolders():
    """No folder of sources is longer than a reader's screen."""
    for top in ("lib", "include", "dialects", "test", "tools", "docs", "bench", "python"):
        for folder in [root / top, *(root / top).rglob("*")]:
            if folder.is_dir() and "__pycache__" not in folder.parts:
                count = sum(file.is_file() for file in folder.iterdir())
                if count > FOLDER_LIMIT:
                    problems.append(f"{folder.relative_to(root)}: {count} files, at most {FOLDER_LIMIT}")


checkRooms()
checkFolders()
def prose(page):
    """The paragraphs and items of a page, without headings, tables and examples; a code span is one word."""
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.M | re.S)
    paragraphs = [[]]
    for line in text.split("\n"):
        item = re.match(r"\s*(?:[-*+]|\d+\.)\s+", line)
        if item or not line.strip() or line.lstrip().startswith(("#", "|", "<")):
            paragraphs.append([])
        if item or (line.strip() and not line.lstrip().startswith(("#", "|", "<"))):
            isExample = line.startswith("    ") and not item and not paragraphs[-1]
            paragraphs[-1] += [] if isExample else [line[item.end() if item else 0 :].strip()]
    for lines in paragraphs:
        yield re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`[^`]*`", "code", " ".join(lines)))


def sentences(page):
    """(words, text) of each."""
    for paragraph in prose(page):
        for sentence in re.split(r"(?<=[.!?])[\"')*]*\s+(?=[\"'(*\w])", paragraph.replace("..", "")):
            count = sum(1 for word in sentence.split() if re.search(r"\w", word))
            if count:
                yield count, sentence


def check_sentences(page):
    found = list(sentences(page))
    median = statistics.median([count for count, _ in found]) if found else 0
    if median > MEDIAN_WORDS:
        yield f"sentences have {median:g} words in the median, at most {MEDIAN_WORDS}"
    for count, sentence in found:
        if count > MOST_WORDS:
            yield f"a sentence has {count} words, at most {MOST_WORDS}: {sentence[:60]}.."


def check_columns(text):
    fenced = False  # IR in a description stands as in its test
    for number, line in enumerate(text.split("\n"), 1):
        fenced ^= line.strip().startswith("```")
        if len(line) > MOST_COLUMNS and not fenced:
            yield f"line {number} has {len(line)} columns, at most {MOST_COLUMNS}"


# Comments, literals and directives of C++, which may hold braces.
NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|^[ \t]*#(?:[^\n\\]|\\\n|\\.)*', re.S | re.M
)
SCOPE = re.compile(r"\b(namespace|enum)\b|\b(class|struct|union)\s+\w+[^()]*$")


def function_lines(text):
    """(line, lines of the body) of each function of a source, those of lambdas counted in it."""
    code = NO_CODE.sub(lambda match: "\n" * match[0].count("\n"), re.sub(r"(?<=\d)'(?=\d)", "", text))
    scopes, begin, closed = [], 0, False
    for brace in re.finditer(r"[{};]", code):
        head = code[begin : brace.start()]
        if brace[0] == "{":
            inside = any(is_function for is_function, _ in scopes)
            # The body of a constructor may follow a member that is initialized in braces.
            begins = "(" in head and not SCOPE.search(head) or not head.strip() and closed
            scopes.append((not inside and begins, brace.start()))
        elif brace[0] == "}" and scopes:
            closed, start = scopes.pop()
            if closed:
                yield code.count("\n", 0, start) + 1, code.count("\n", start, brace.end()) + 1
        begin = brace.end()


def pages():
    return [root / "README.md", root / "bench/README.md", *sorted(root.glob("docs/**/*.md")), *sorted(root.glob("dialects/*/Rationale.md"))]


for page in pages():
    problems += [f"{page.relative_to(root)}: {problem}" for problem in check_sentences(page)]
for path in sources("lib", "include/plc", "tools", "dialects", "python"):
    relative = path.relative_to(root)
    text = path.read_text()
    lines = text.count("\n")
    if lines > LIMITS[path.suffix]:
        problems.append(f"{relative}: {lines} lines, at most {LIMITS[path.suffix]}")
    if path.suffix in (".cpp", ".h"):
        for number, count in function_lines(text):
            if count > FUNCTION_LIMIT:
                problems.append(f"{relative}: the function in line {number} has {count} lines, at most {FUNCTION_LIMIT}")
    if path.suffix != ".py":
        problems += [f"{relative}: {problem}" for problem in check_columns(text)]
    if re.search(r"(Utils?|Helpers?|Common|Misc)\.", path.name):
        problems.append(f"{relative}: is named Utils, Helpers, Common or Misc")
    parts = relative.parts
    room = parts[1] if parts[0] in ("lib", "tools") else parts[2] if parts[:2] == ("include", "plc") else None
    if room not in MAY:
        continue
    if room != "Language" and str(relative) not in READS_WORDS:
        for word in re.findall(r'[!=]= ("[A-Za-z_]\w*")', text):
            problems.append(f"{relative}: compares with {word}; a choice is an enum with a table (Support/Choice.h)")
    for pattern, files in NAME_TEXTS.items():
        if str(relative) not in files and (found := re.search(pattern, text)):
            problems.append(f"{relative}: has {found[0]!r}, the text of a name; a name with fields is an attribute, or a struct")
    folder = folderOf(relative)
    for include in re.findall(r'#include "([^"]+)"', text):
        other = included(path, room, include)
        if room in FOLDERS and other and folder and other != folder and other not in FOLDERS[room][folder]:
            problems.append(f"{relative}: {room}/{folder} may not include {include}")
    for include in re.findall(r'#include "(plc/[^"]+)"', text):
        other = include.split("/")[1]
        if other != room and other not in MAY[room] and include not in ALWAYS:
            problems.append(f"{relative}: {room} may not include {include}")
    if room in WITHOUT_LLVM:
        for include in reached(path):
            problems.append(f"{relative}: {room} may not include {include}")

tests = "\n".join(p.read_text(errors="replace") for p in (root / "test").rglob("*") if p.is_file())
for path in sorted((root / "include/plc").rglob("*Passes.td")):
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
