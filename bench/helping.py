#!/usr/bin/env python3
"""Measures the gain of idle workers that help another rank's kernel (beside `--no-sharing`).

usage: bench/helping.py [ROUNDS]

Runs the demo's model in two stages both ways, alternating: as the planner cuts it, and cut unevenly by hand.
Compares the fastest step of each pair of runs."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

os.environ["PLC_THREADS_PER_STAGE"] = "1" # beside ranks, no further workers

root = pathlib.Path(__file__).resolve().parent.parent
run, compile_ = root / "build/bin/plc-run", root / "build/bin/plc-compile"
rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
STEPS = 8


def steps(folder, module, helping):
    """Milliseconds of each step but the first, which warms caches, and the loss's bits."""
    log, text = folder / "log.jsonl", root / "examples/gpt.ein"
    log.unlink(missing_ok=True)
    subprocess.run([run, "train", module, "--data", f"tok={text}", "--data", f"next={text}+1", "--steps", str(STEPS),
                    "--holdout", "0", "--log", log, *([] if helping else ["--no-sharing"])], check=True, stdout=subprocess.DEVNULL)
    lines = [line for line in map(json.loads, open(log)) if "step" in line]
    return [line["ms"] for line in lines[1:]], [line["loss_bits"] for line in lines]


def compare(folder, what, *how):
    module = folder / "gpt.plcm"
    subprocess.run([compile_, root / "examples/gpt.ein", "--strategy", root / "examples/gpt.toml", *how, "-o", module],
                   check=True)
    ratios = []
    for i in range(rounds):
        pair = {side: steps(folder, module, side) for side in ((False, True) if i % 2 else (True, False))}
        if pair[True][1] != pair[False][1]:
            sys.exit("the bits differ")
        ratios.append(min(pair[False][0]) / min(pair[True][0]))
    print(f"{what}: {statistics.median(ratios):.2f} times as fast with help "
          f"(median of {rounds}; {min(ratios):.2f} to {max(ratios):.2f})", flush=True)


with tempfile.TemporaryDirectory() as name:
    compare(pathlib.Path(name), "as planned")
    compare(pathlib.Path(name), "cut 7 and 3 layer calls", "--set", "parallelism.balance=[7,3]")
