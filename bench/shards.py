#!/usr/bin/env python3
"""The demo's model with F and H divided in two: two ranks, each with its parts, beside one rank, and beside the model
undivided. bench/shards.py [ROUNDS]. Turn by turn; compares the fastest step of each run."""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
run, compile_ = root / "build/bin/plc-run", root / "build/bin/plc-compile"
rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 8
STEPS = 8
text = root / "examples/gpt.ein"
DIVIDED = ["--set", "parallelism.shard={F=2,H=2}"]
SIDES = {
    "one rank, undivided": [],
    "one rank": [*DIVIDED, "--set", "parallelism.kind=none"],
    "two ranks, 1f1b": DIVIDED,
    "two ranks, auto": [*DIVIDED, "--set", "parallelism.schedule=auto"],
}

with tempfile.TemporaryDirectory() as name:
    folder, ratios, bits = pathlib.Path(name), {side: [] for side in SIDES}, {}
    for number, sets in enumerate(SIDES.values()):
        subprocess.run([compile_, text, "--set", "parallelism.micro_batches=4", *sets, "-o", folder / f"{number}.plcm"],
                       check=True)
    for i in range(rounds):
        fastest = {}
        order = list(enumerate(SIDES))
        for number, side in order if i % 2 else order[::-1]:
            log = folder / "log.jsonl"
            subprocess.run([run, "train", folder / f"{number}.plcm", "--data", f"tok={text}", "--data", f"next={text}+1", "--steps",
                            str(STEPS), "--holdout", "0", "--log", log], check=True, stdout=subprocess.DEVNULL)
            lines = [line for line in map(json.loads, open(log)) if "step" in line]
            fastest[side] = min(line["ms"] for line in lines[1:])  # the first warms caches
            bits.setdefault("undivided" in side, set()).add(tuple(line["loss_bits"] for line in lines))
        for side in SIDES:
            ratios[side].append(fastest["one rank"] / fastest[side])
    if any(len(each) > 1 for each in bits.values()):
        sys.exit("the bits differ")
    for side, each in ratios.items():
        print(f"{side}: {statistics.median(each):.2f} times as fast as one rank (median of {rounds}; {min(each):.2f} to {max(each):.2f})")
