# RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/one.ein . && %python %s %examples/gpt.ein
"""plc-compile goes on from the IR of every phase, and makes the module that it makes of the model."""
import json
import re
import subprocess
import sys


def run(*command):
    return subprocess.run(command, capture_output=True, encoding="utf-8")


def compile(*command):
    done = run("plc-compile", *command)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr}")
    return done.stderr


def read(name):
    with open(name, "rb") as file:
        return file.read()


text = re.sub(r"\s+", " ", run("plc-compile", "--help").stdout)
PHASES = re.search(r"to -o or stdout: (.*?) \(", text)[1].split(", ")
PHASES = PHASES[:PHASES.index("llvm")]

# The same bytes. A key that IR has behind it, and that it does not show, is named; what it shows is taken over.
keys = ["--set", "parallelism.stages=2", "--set", "parallelism.micro_batches=2", "--set", "precision.compute=f64",
        "--set", "fusion=false"]
for given, later in ([], []), (keys, keys), (keys, keys[:2]):
    compile("one.ein", *given, "-o", "whole.plcm")
    for phase in PHASES:
        if later != given and phase in PHASES[:PHASES.index("kernels")]:
            continue
        compile("one.ein", *given, f"--emit={phase}", "-o", "part.mlir")
        warnings = compile("part.mlir", *later, "-o", "part.plcm")
        if read("part.plcm") != read("whole.plcm"):
            sys.exit(f"{phase} under {given}, then {later}: another module")
        told = re.findall(rf"plc-compile: warning: '([\w.]+)' changes nothing: phases read it that 'part.mlir' of phase "
                          rf"'{phase}' has behind it", warnings)
        expected = [key for key, read_by in (("fusion", "kernels"), ("parallelism.stages", "partition"))
                    if any(key in each for each in later) and PHASES.index(phase) >= PHASES.index(read_by)]
        if told != expected:
            sys.exit(f"{phase} under {later}: told of {told}, expected {expected}: {warnings}")
# As bytecode, and as text without its name.
run("plc-opt", "part.mlir", "--emit-bytecode", "-o", "part.bc")
open("part.txt", "w").write("// made by hand\n" + open("part.mlir").read())
for name in "part.bc", "part.txt":
    compile(name, *keys, "-o", "part.plcm")
    if read("part.plcm") != read("whole.plcm"):
        sys.exit(f"{name}: another module")
# From one phase to the next.
for phase, end in zip(PHASES, PHASES[1:]):
    compile("one.ein", *keys, f"--emit={phase}", "-o", "part.mlir")
    compile("part.mlir", *keys, f"--emit={end}", "-o", "next.mlir")
    compile("one.ein", *keys, f"--emit={end}", "-o", "whole.mlir")
    if read("next.mlir") != read("whole.mlir"):
        sys.exit(f"{phase} to {end}: another program")

# A program of a model that has several is that entry alone, with its plan and its bits.
model = [sys.argv[1], "-DS=8", "-DV=256", "-DD=8", "-DH=2", "-DL=2", "-DB=4", "--set", "parallelism.stages=2"]
open("text", "w").write("abcdefghij" * 100)


def train(module):
    done = run("plc-run", "train", module, "--data", "tok=text", "--data", "next=text+1", "--holdout", "0", "--steps", "2",
               "--log", "log")
    if done.returncode:
        sys.exit(done.stderr)
    lines = [json.loads(line) for line in open("log")]
    subprocess.run(["rm", "log"])
    return [line["loss"] for line in lines if "loss" in line], [line["plan"] for line in lines if "plan" in line]


compile(*model, "-o", "whole.plcm")
expected = train("whole.plcm")
for phase in "algebra", "numerics", "kernels", "schedule", "addresses":
    compile(*model, f"--emit={phase}", "-o", "part.mlir")
    compile("part.mlir", "--set", "parallelism.stages=2", "-o", "part.plcm")
    if train("part.plcm") != expected:
        sys.exit(f"{phase}: the entry trains otherwise: {train('part.plcm')}, expected {expected}")
    if "no entry 'infer', only 'train'" not in run("plc-run", "infer", "part.plcm").stderr:
        sys.exit(f"{phase}: another entry than 'train'")

# A plan that is searched for is chosen before the cuts, and its order applied behind them.
keys = ["--set", "parallelism.stages=2", "--set", "parallelism.micro_batches=4", "--set", "parallelism.schedule=auto",
        "--set", "memory.budget=250KiB"]
compile(*model[:-2], *keys, "-o", "whole.plcm")
expected = train("whole.plcm")
for phase in "partition", "skips":
    compile(*model[:-2], *keys, f"--emit={phase}", "-o", "part.mlir")
    compile("part.mlir", *keys, "-o", "part.plcm")
    if "plan.spec" not in open("part.mlir").read() or train("part.plcm") != expected:
        sys.exit(f"{phase}: another order")
