#!/usr/bin/env python3
"""Measures the demo's model in two shards on two ranks beside one rank and beside the model undivided.

usage: bench/shards.py [ROUNDS]

F and H are divided in two. Then a model that is mostly its vocabulary of 16,384, with V divided as well. The sides
alternate; the fastest step of each run counts. Prints the bytes of the largest rank."""
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
MODELS = {  # compile arguments, and the sizes that are divided
    "the demo": ([], "F=2,H=2"),
    "a vocabulary": (["-DV=16384", "-DL=1", "-DS=64", "-DB=4"], "F=2,H=2,V=2"),
}


def sides(divided):
    shard = ["--set", f"parallelism.shard={{{divided}}}"]
    return {
        "one rank, undivided": [],
        "one rank": [*shard, "--set", "parallelism.kind=none"],
        "two ranks, 1f1b": shard,
        "two ranks, auto": [*shard, "--set", "parallelism.schedule=auto"],
    }


def compare(folder, arguments, divided):
    named = sides(divided)
    ratios, bits, most = {side: [] for side in named}, {}, {}
    for number, sets in enumerate(named.values()):
        subprocess.run([compile_, text, *arguments, "--set", "parallelism.micro_batches=4", *sets, "-o", folder / f"{number}.plcm"],
                       check=True)
    for i in range(rounds):
        fastest = {}
        order = list(enumerate(named))
        for number, side in order if i % 2 else order[::-1]:
            log = folder / "log.jsonl"
            subprocess.run([run, "train", folder / f"{number}.plcm", "--data", f"tok={text}", "--data", f"next={text}+1", "--steps",
                            str(STEPS), "--holdout", "0", "--log", log, "--overwrite"], check=True, stdout=subprocess.DEVNULL)
            lines = [json.loads(line) for line in open(log)]
            steps = [line for line in lines if "step" in line]
            fastest[side] = min(line["ms"] for line in steps[1:])  # the first warms caches
            most[side] = max(rank["measured_bytes"] for line in lines if "summary" in line for rank in line["summary"]["ranks"])
            bits.setdefault("undivided" in side, set()).add(tuple(line["loss_bits"] for line in steps))
        for side in named:
            ratios[side].append(fastest["one rank"] / fastest[side])
    if any(len(each) > 1 for each in bits.values()):
        sys.exit("the bits differ")
    for side, each in ratios.items():
        print(f"{side}: {statistics.median(each):.2f} times as fast as one rank (median of {rounds}; {min(each):.2f} to {max(each):.2f}), "
              f"{most[side] / 1e6:.1f} MB", flush=True)


with tempfile.TemporaryDirectory() as name:
    for model, (arguments, divided) in MODELS.items():
        print(f"{model}, {divided}:")
        compare(pathlib.Path(name), arguments, divided)
