#!/usr/bin/env python3
"""Measures what `--trace` costs of a step of the demo's model.

usage: bench/trace_overhead.py [ROUNDS]

The sides alternate. Compares the fastest step of each pair of runs and the median of all steps; both sides meet the
same noise."""
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
STEPS = 12


def steps(folder, module, traced):
    """Milliseconds of each step but the first, which warms caches."""
    log = folder / "log.jsonl"
    trace = ["--trace", folder / "trace.json"] if traced else []
    text = root / "examples/gpt.ein"
    subprocess.run([run, "train", module, "--data", f"tok={text}", "--data", f"next={text}+1", "--steps", str(STEPS),
                    "--holdout", "0", "--log", log, "--overwrite", *trace], check=True, stdout=subprocess.DEVNULL)
    return [line["ms"] for line in map(json.loads, open(log)) if "step" in line][1:]


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    module = folder / "gpt.plcm"
    subprocess.run([compile_, root / "examples/gpt.ein", "--strategy", root / "examples/gpt.toml", "-o", module], check=True)
    fastest, plain, traced = [], [], []
    for i in range(rounds):
        pair = {side: steps(folder, module, side) for side in ((False, True) if i % 2 else (True, False))}
        fastest.append(min(pair[True]) / min(pair[False]))
        plain += pair[False]
        traced += pair[True]
    print(f"a step with --trace takes {statistics.median(fastest):.3f} of one without (fastest of each pair of runs, median of "
          f"{rounds}; {min(fastest):.3f} to {max(fastest):.3f}), {statistics.median(traced) / statistics.median(plain):.3f} by medians")
    events = sum(1 for line in open(folder / "trace.json") if '"ph":"X"' in line)
    print(f"{events // STEPS} events per step")
