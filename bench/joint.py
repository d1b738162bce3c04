#!/usr/bin/env python3
"""Compares the joint plan with the best of every listed plan, for GPTs of 6 and 8 layer calls on 2 and 4 ranks.

usage: bench/joint.py [--build BUILD]   (half an hour)

Lists each number of ranks, replicas, ranks that share a stage, schedule and micro-batches that `automatic`
considers; each rank map (one or two stages per rank, looped or V-shape, or one more on the first rank); and each
cut. The measure is the simulator's step, which plc-compile prints for that strategy. Prints how far the joint plan
is from the best, and how many plans were listed. Fails above 1 %."""
import argparse
import itertools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
options = argparse.ArgumentParser()
options.add_argument("--build", default=str(ROOT / "build"))
chosen = options.parse_args()
COMPILER = f"{chosen.build}/bin/plc-compile"
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6}
FAILED = 0


def compile_plan(model, sets):
    words = [word for key, value in sets.items() for word in ("--set", f"parallelism.{key}={value}" if "." not in key else f"{key}={value}")]
    return subprocess.run([COMPILER, *model, *words], capture_output=True, text=True).stdout


def step(text):
    """The predicted step in ns, or nothing where there is no such plan."""
    found = re.search(r"^  step with messages, waits, help and updates ([0-9.]+) (\w+)", text, re.M)
    return float(found[1]) * UNITS[found[2]] if found else None


def compositions(total, parts):
    for borders in itertools.combinations(range(1, total), parts - 1):
        ends = (0, *borders, total)
        yield [b - a for a, b in zip(ends, ends[1:])]


def divisors(number, most):
    return [each for each in range(1, min(number, most) + 1) if number % each == 0]


def plans(layers, ranks, counts, lanes, parts):
    for count, replicas, shards in itertools.product(counts, divisors(lanes, ranks), divisors(parts, ranks)):
        of_all = {"micro_batches": count, **({"replicas": replicas} if replicas > 1 else {}), **({"shard_ranks": shards} if parts > 1 else {})}
        if shards == 1:
            yield of_all
        for used in range(2 if shards == 1 else 1, ranks // replicas // shards + 1):
            for schedule, chunks in (("gpipe", 1), ("1f1b", 1), ("zb_h1", 1), ("zb_h2", 1), ("interleaved", 2), ("zbv", 2), ("auto", 1)):
                if used * chunks <= layers and (shards == 1 or schedule != "zbv"):
                    for balance in compositions(layers, used * chunks):
                        sets = {**of_all, "stages": used * chunks, "schedule": schedule, "balance": balance}
                        yield {**sets, **({"chunks": chunks} if chunks > 1 else {})}
            ranks_used = list(range(used))
            wrapped, loop, vee = [*ranks_used, 0], ranks_used * 2, [*ranks_used, *reversed(ranks_used)]
            for schedule, place in (("1f1b", wrapped), ("zb_h1", wrapped), ("auto", wrapped), ("auto", loop), ("auto", vee)):
                if used > 1 and len(place) <= layers:
                    for balance in compositions(layers, len(place)):
                        yield {**of_all, "stages": len(place), "schedule": schedule, "place": place, "balance": balance}


for name, layers, counts, lanes, parts, sizes in (("gpt", 6, (1, 2, 4, 8), 1, 1, ["-DL=2"]), ("gpt", 8, (1, 2, 4), 1, 1, ["-DL=3", "-DB=4"]),
                                                  ("gpt", 6, (2, 4), 2, 1, ["-DL=2", "-DB=4", "-DS=8"]),
                                                  ("gpt", 6, (4, 8), 4, 1, ["-DL=2", "-DS=32"]),
                                                  ("gpt", 6, (1, 2), 1, 2, ["-DL=2", "-DB=2", "-DS=16"])):
    model = [str(ROOT / f"examples/{name}.ein"), *sizes, "--set", f"gradient.lanes={lanes}"]
    model += ["--set", f"parallelism.shard={{F={parts},H={parts}}}"] if parts > 1 else []
    for ranks in (2, 4):
        text = compile_plan(model, {"kind": "automatic", "machine.ranks": ranks})
        found, best, count = step(text), None, 0
        for sets in plans(layers, ranks, counts, lanes, parts):
            count += 1
            ns = step(compile_plan(model, sets))
            best = min((each for each in (best, ns) if each is not None), default=None)
        gap = 100 * (found / best - 1)
        FAILED |= gap > 1
        print(f"{name} {' '.join(sizes)}, {lanes} lanes, {parts} parts, {ranks} ranks: joint {found / 1e3:.1f} us, best of {count} plans {best / 1e3:.1f} us, "
              f"gap {gap:.2f} %", flush=True)
sys.exit(1 if FAILED else 0)
