#!/usr/bin/env python3
"""Compares predicted and measured steps of plans that use all cores.

usage: bench/cores.py [--model demo|D512|gpt2] [--cores N] [--rounds N] [--repeats N] [--rates FILE] [--build BUILD]

Calibrates the machine and compiles these plans for N cores (default: all): one rank with N threads; pipelines of
ranks times threads; ZB-H1; replicas, alone and of pipelines; and what `automatic` chooses with one and two threads,
for one accumulation group and for as many as fit. Each round starts a process per plan, in a new order, because
where a process gets its memory is worth up to 28 %. Prints each plan's median and range beside its prediction; then
the median and range of measured over predicted, the rank correlation, and how much slower each chosen plan is than
the best with its bits."""
import argparse
import os
import pathlib
import random
import re
import statistics
import subprocess
import tempfile

from ranks import spearman

root = pathlib.Path(__file__).resolve().parent.parent
options = argparse.ArgumentParser()
options.add_argument("--model", default="demo", choices=["demo", "D512", "gpt2"])
options.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
options.add_argument("--rounds", type=int, default=3)
options.add_argument("--repeats", type=int, default=5)
options.add_argument("--rates")
options.add_argument("--build", default=str(root / "build"))
given = options.parse_args()

SIZES = {"demo": "-DV=256 -DD=128 -DH=4 -DL=4 -DS=128 -DB=32", "D512": "-DV=256 -DD=512 -DH=8 -DL=8 -DS=256 -DB=16",
         "gpt2": "-DV=50257 -DD=768 -DH=12 -DL=12 -DS=512 -DB=8"}


def run(tool, *arguments):
    return subprocess.run([f"{given.build}/bin/{tool}", *arguments], check=True, capture_output=True, text=True)


def pipeline(stages, threads, **more):
    return {"parallelism.stages": stages, "parallelism.micro_batches": 8, "machine.threads_per_stage": threads, **more}


def replicas(count, stages, threads):
    return pipeline(stages, threads, **{"parallelism.replicas": count, "gradient.lanes": count})


def automatic(ranks, threads, lanes):
    return {"parallelism.kind": "automatic", "machine.ranks": ranks, "machine.threads_per_stage": threads, "gradient.lanes": lanes}


def plans_of(cores):
    """By name; those of one name are one plan."""
    lanes = min(cores, 8)
    plans = {f"1 rank x {cores}": pipeline(1, cores, **{"parallelism.micro_batches": 1}), "1 rank x 1": pipeline(1, 1)}
    for threads in (1, 2, 4):
        ranks = cores // threads
        if 2 <= ranks <= 8:
            plans[f"{ranks} stages x {threads}"] = pipeline(ranks, threads)
            plans[f"{ranks} stages x {threads}, zb_h1"] = pipeline(ranks, threads, **{"parallelism.schedule": "zb_h1"})
            plans[f"{ranks} replicas x {threads}"] = replicas(ranks, 1, threads)
        if ranks >= 4 and ranks // 2 <= 8:
            plans[f"{ranks // 2} replicas of 2 stages x {threads}"] = replicas(ranks // 2, 2, threads)
    for threads in (1, 2):
        if cores // threads >= 2:
            for count in (1, lanes):
                plans[f"automatic x {threads}, {count} lanes"] = automatic(cores // threads, threads, count)
    return plans


with tempfile.TemporaryDirectory() as folder:
    rates = given.rates or f"{folder}/rates.toml"
    if not given.rates:
        run("plc-compile", "--calibrate", "-o", rates)
    rows = []
    for name, keys in plans_of(given.cores).items():
        module = f"{folder}/{len(rows)}.plcm"
        sets = [f"--set={key}={value}" for key, value in keys.items()]
        made = run("plc-compile", str(root / "examples/gpt.ein"), *SIZES[given.model].split(), *sets, f"--set=machine.rates={rates}", "-o", module)
        chosen = re.search(r"chosen: (.*): step", made.stderr)
        played = re.search(r'"played_ns": ?(\d+)', pathlib.Path(module).read_bytes().decode(errors="ignore"))
        rows.append({"name": name, "module": module, "lanes": keys.get("gradient.lanes", 1), "chosen": chosen and chosen[1],
                     "predicted": int(played[1]) / 1e6, "ms": []})
    order = list(rows)
    for turn in range(given.rounds):
        random.Random(iteration).shuffle(order)
        for row in order:
            text = run("plc-run", "bench", row["module"], "--repeats", str(given.repeats), "--warmup", "2").stdout
            row["ms"].append(float(re.search(r"^step +([0-9.]+) ms median", text, re.M)[1]))
for row in rows:
    row["measured"] = statistics.median(row["ms"])
    print(f"{row['name']:34} predicted {row['predicted']:9.2f} ms, measured {row['measured']:9.2f} ({min(row['ms']):.2f} to {max(row['ms']):.2f}),"
          f" {row['measured'] / row['predicted']:.2f} times{'; ' + row['chosen'] if row['chosen'] else ''}")
ratios = [row["measured"] / row["predicted"] for row in rows]
print(f"{given.model} on {given.cores} cores, {len(rows)} plans: measured over predicted {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}), "
      f"Spearman {spearman([row['predicted'] for row in rows], [row['measured'] for row in rows]):.2f}")
for row in rows:
    if row["chosen"]:
        best = min((each for each in rows if each["lanes"] == row["lanes"]), key=lambda each: each["measured"])
        print(f"{row['name']}: {row['measured'] / best['measured']:.2f} times the best of its bits ({best['name']})")
