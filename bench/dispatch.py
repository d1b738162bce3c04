#!/usr/bin/env python3
"""Measures the runtime's own time where kernels are tiny.

usage: bench/dispatch.py [ROUNDS]

The model is a transformer of 4 numbers per token in 64 micro-batches. Prints the step of one stage divided by its
kernel calls, which bounds what a call's dispatch costs, and the CPU time of 8 stages beside that of one."""
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

os.environ["PLC_THREADS_PER_STAGE"] = "1" # beside ranks, no further workers

root = pathlib.Path(__file__).resolve().parent.parent
run, compile_ = root / "build/bin/plc-run", root / "build/bin/plc-compile"
rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
FEW, MANY = 20, 220


def train(module, log, steps, *options):
    """Processor time in us, of all of its steps."""
    text = root / "examples/gpt.ein"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([run, "train", module, "--data", f"tok={text}", "--data", f"next={text}+1", "--holdout", "0", "--steps", str(steps),
                    "--log", log, "--overwrite", *options], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e6


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    log, trace, modules = folder / "log.jsonl", folder / "trace.json", {}
    for stages in (1, 8):
        modules[stages] = folder / f"{stages}.plcm"
        sizes = [word for size in ("B=64", "S=2", "D=4", "H=1", "L=8") for word in ("-D", size)]
        subprocess.run([compile_, root / "examples/gpt.ein", *sizes, "--set", f"parallelism.stages={stages}", "--set",
                        "parallelism.micro_batches=64", "-o", modules[stages]], check=True)
    train(modules[1], log, 2, "--trace", trace)
    events = [event for event in json.load(open(trace))["traceEvents"] if event["ph"] == "X"]
    calls = sum(event["cat"] == "kernel" for event in events) / 2
    perCall, processor, wall = [], {1: [], 8: []}, {1: [], 8: []}
    for _ in range(rounds):
        for stages, module in modules.items():
            few = train(module, log, FEW)
            processor[stages].append((train(module, log, MANY) - few) / (MANY - FEW))
            wall[stages].append(min(line["ms"] for line in map(json.loads, open(log)) if "step" in line) * 1e3)
        perCall.append(wall[1][-1] / calls)
    print(f"one stage: {calls:.0f} kernel calls a step, {statistics.median(perCall):.3f} us each with the kernels themselves (fastest step of each "
          f"of {rounds} runs, their median; {min(perCall):.3f} to {max(perCall):.3f})")
    own = [1 - one / eight for one, eight in zip(processor[1], processor[8])]
    print(f"8 stages: {statistics.median(processor[8]):.0f} us of processor time a step beside {statistics.median(processor[1]):.0f} of one stage: "
          f"{statistics.median(own):.0%} are sends, waits and wakes ({min(own):.0%} to {max(own):.0%}); "
          f"fastest steps {statistics.median(wall[8]):.0f} us beside {statistics.median(wall[1]):.0f}")
