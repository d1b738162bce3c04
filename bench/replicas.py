#!/usr/bin/env python3
"""Measures the demo's model in two replicas on two cores beside one process with one thread.

usage: bench/replicas.py [ROUNDS]

The model has two accumulation groups. The sides alternate; the fastest step of each run counts."""
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
rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 8
STEPS = 8
text = root / "examples/gpt.ein"
SIDES = {"one": [], "two replicas": ["--set", "parallelism.replicas=2"]}

with tempfile.TemporaryDirectory() as name:
    folder, ratios, bits = pathlib.Path(name), [], set()
    for number, sets in enumerate(SIDES.values()):
        subprocess.run([compile_, text, "--set", "parallelism.micro_batches=4", "--set", "gradient.lanes=2", *sets, "-o",
                        folder / f"{number}.plcm"], check=True)
    for i in range(rounds):
        fastest = {}
        for number in (0, 1) if i % 2 else (1, 0):
            log = folder / "log.jsonl"
            subprocess.run([run, "train", folder / f"{number}.plcm", "--data", f"tok={text}", "--data", f"next={text}+1", "--steps",
                            str(STEPS), "--holdout", "0", "--log", log, "--overwrite"], check=True, stdout=subprocess.DEVNULL)
            lines = [line for line in map(json.loads, open(log)) if "step" in line]
            fastest[number] = min(line["ms"] for line in lines[1:])  # the first warms caches
            bits.add(tuple(line["loss_bits"] for line in lines))
        ratios.append(fastest[0] / fastest[1])
    if len(bits) > 1:
        sys.exit("the bits differ")
    half = statistics.median(ratios) / 2
    print(f"two replicas: {statistics.median(ratios):.2f} times as fast (median of {rounds}; {min(ratios):.2f} to {max(ratios):.2f}), "
          f"{half:.2f} of linear; the same bits")
