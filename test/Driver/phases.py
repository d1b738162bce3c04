# RUN: %python %s plc-compile %examples/gpt.ein -D S=8 -D V=16 -D D=8 -D H=2 -D L=2 -D B=4 \
# RUN:   --set parallelism.stages=2 --set parallelism.micro_batches=2
"""Each phase can be stopped after and started from: plc-opt with the rest of the pipeline gives the same IR, places
in the model included."""
import re
import subprocess
import sys

PLACES = ["--mlir-print-local-scope", "--mlir-print-debuginfo"]


def run(command, text=None):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout


def phases():
    """The names that plc-compile has, up to the last that gives IR of our dialects."""
    text = re.sub(r"\s+", " ", run(["plc-compile", "--help"]))
    names = re.search(r"to -o or stdout: (.*?) \(", text)[1].split(", ")
    return names[:names.index("llvm")]


def pipeline(command, phase):
    text = run(command + ["--print-pipeline", f"--emit={phase}"]).strip()
    return text.removeprefix("builtin.module(").removesuffix(")")


PHASES = phases()
assert PHASES[0] == "ein" and PHASES[-1] == "addresses" and len(PHASES) == 13, PHASES
for program in ["train", "eval", "infer"]:
    command = sys.argv[1:] + [f"--program={program}"]
    emitted = {phase: run(command + [f"--emit={phase}"]) for phase in PHASES}
    whole = run(command + ["--print-pipeline"]).strip()
    if run(["plc-opt", *PLACES, "--pass-pipeline", whole], emitted["ein"]) != emitted["addresses"]:
        sys.exit(f"{program}: '{whole}' on --emit=ein differs from --emit=addresses")
    for start, end in zip(PHASES, PHASES[1:]):
        before = "" if start == "ein" else pipeline(command, start) + ","
        rest = pipeline(command, end).removeprefix(before)
        if run(["plc-opt", *PLACES, "--pass-pipeline", f"builtin.module({rest})"], emitted[start]) != emitted[end]:
            sys.exit(f"{program}: '{rest}' on --emit={start} differs from --emit={end}")
