#!/usr/bin/env python3
"""matrix.py [--minutes N] [--seed N] [--record FILE] [--build BUILD]: the losses of 1,000 steps under every plan.

A small GPT of ten layer calls, with a tied parameter, in 8 micro-batches and 4 lanes, clipped, trains for 1,000 steps under each
of: 1 to 8 stages, every schedule, every policy of recomputation, threads or an MPI library, 1, 2 or 4 replicas, straight or stopped
behind step 500 and resumed by the next transport, on the next number of replicas. Every cell's losses, norms and last checkpoint must be those of
the first, by `==`, under one numerics key, and every rank must write exactly the bytes that were planned. That is 5,040 cells: first few that hold every pair of values, then
the others in an order by chance; after --minutes (0: none) it ends, and tells how many cells of each value ran. --record keeps which have, with what the first one gave,
so that another call goes on. Ranks are at most 4 processes, of which some hold several."""
import argparse
import itertools
import json
import os
import pathlib
import random
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "Integration" / "Inputs"))
from plan_cover import REMAT, Cover, pairwise  # noqa: E402

FACTORS = {"stages": tuple(range(1, 9)), "schedule": ("gpipe", "1f1b", "interleaved", "zb_h1", "zb_h2", "zbv", "auto"),
           "recomputation": tuple(REMAT), "threads": (1,), "resumed": (False, True), "transport": ("threads", "openmpi", "mpich"),
           "replicas": (1, 2, 4), "mode": ("lazy",)}
MODEL = [str(ROOT / "examples/gpt.ein"), "-DB=8", "-DS=8", "-DD=8", "-DH=2", "-DL=4", "--set", "parallelism.micro_batches=8",
         "--set", "gradient.lanes=4", "--set", "optimizer.lr=2e-3", "--set", "optimizer.clip_norm=0.5"]


class Record:
    """The cells that have run, and what the first one gave, in a file if there is one."""

    def __init__(self, path, cover):
        self.path, self.cover, self.cells = path and pathlib.Path(path), cover, set()
        if self.path and self.path.exists():
            known = json.loads(self.path.read_text())
            self.cells = set(map(tuple, known["cells"]))
            cover.expected = (set(known["keys"]), [tuple(step) for step in known["bits"]])
            cover.saved = {"first": [bytes.fromhex(each) for each in known["saved"]]}

    def add(self, cell):
        self.cells.add(cell)
        if not self.path:
            return
        keys, bits = self.cover.expected
        self.path.write_text(json.dumps({"keys": sorted(keys), "bits": bits, "cells": sorted(self.cells),
                                         "saved": [each.hex() for each in self.cover.saved["first"]]}))


def tell(cells, seconds):
    for number, (name, values) in enumerate(FACTORS.items()):
        counts = ", ".join(f"{value} {sum(cell[number] == value for cell in cells)}" for value in values)
        print(f"{name + ':':14} {counts}")
    pairs = {(i, j, cell[i], cell[j]) for cell in cells for i, j in itertools.combinations(range(len(cell)), 2)}
    total = sum(len(a) * len(b) for a, b in itertools.combinations(FACTORS.values(), 2))
    every = len(list(itertools.product(*FACTORS.values())))
    print(f"{len(cells)} of {every} cells, {len(pairs)} of {total} pairs of values, agree bit for bit in 1,000 steps; {seconds / 60:.0f} minutes")


options = argparse.ArgumentParser()
options.add_argument("--minutes", type=float, default=0)
options.add_argument("--seed", type=int, default=1)
options.add_argument("--record")
options.add_argument("--build", default=str(ROOT / "build"))
chosen = options.parse_args()
os.environ["PATH"] = f"{chosen.build}/bin:{os.environ['PATH']}"
os.environ.setdefault("PLC_RATES", "shipped")  # so that another call has the same plans

with tempfile.TemporaryDirectory() as folder:
    cover = Cover(folder, 1000, MODEL, FACTORS["transport"], FACTORS["replicas"], most_processes=4)
    record = Record(chosen.record, cover)
    first = pairwise(list(FACTORS.values()))
    others = [cell for cell in itertools.product(*FACTORS.values()) if cell not in first]
    random.Random(chosen.seed).shuffle(others)
    start = time.monotonic()
    for cell in first + others:
        if cell in record.cells:
            continue
        if chosen.minutes and time.monotonic() - start > 60 * chosen.minutes:
            break
        cover.row(*cell)
        cover.clear()
        record.add(cell)
    for policy in REMAT:
        if cover.most_added.get(policy, 1) > 1:
            print(f"{policy}: computes up to {cover.most_added[policy]:.2f} times the operations")
    tell(record.cells, time.monotonic() - start)
