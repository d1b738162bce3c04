#!/usr/bin/env python3
"""Checks that losses of 1,000 steps are equal bit by bit under 5,040 plans, transports and resumptions.

usage: bench/matrix.py [--minutes N] [--seed N] [--record FILE] [--build BUILD]

A small GPT of ten layer calls, with a tied parameter, in 8 micro-batches and 4 accumulation groups, clipped, trains
under each of: 1 to 8 stages, every schedule, every policy of recomputation, threads or an MPI library, 1, 2 or 4
replicas, straight or resumed from step 500. The losses, norms and last checkpoint of each run must equal the first's
by `==`, under one numerics key, and each rank must write exactly the planned bytes.

A group is one number of stages, schedule and policy: 280 groups. A group has three modules, one per number of
replicas. Each transport runs each of them; the next transport resumes it on the next number of replicas. First come
few groups that hold every pair of values, then the others in random order. After --minutes it ends and prints how
many runs of each value there were. --record keeps the finished groups, so that another call continues. Ranks run in
at most two processes, and in at most four when they resume."""
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
from plan_cover import REMAT, Cover, next_of, pairwise  # noqa: E402

GROUP = {"stages": tuple(range(1, 9)), "schedule": ("gpipe", "1f1b", "interleaved", "zb_h1", "zb_h2", "zbv", "auto"),
         "recomputation": tuple(REMAT)}
TRANSPORTS, REPLICAS = ("threads", "openmpi", "mpich"), (1, 2, 4)
STEPS = 1000
MODEL = [str(ROOT / "examples/gpt.ein"), "-DB=8", "-DS=8", "-DD=8", "-DH=2", "-DL=4", "--set", "parallelism.micro_batches=8",
         "--set", "gradient.lanes=4", "--set", "optimizer.lr=2e-3", "--set", "optimizer.clip_norm=0.5"]


class Record:
    """The groups that have run, and what the first cell gave, in a file if there is one."""

    def __init__(self, path, cover):
        self.path, self.cover, self.groups = path and pathlib.Path(path), cover, set()
        if self.path and self.path.exists():
            known = json.loads(self.path.read_text())
            self.groups = set(map(tuple, known["groups"]))
            cover.expected = (set(known["keys"]), [tuple(step) for step in known["bits"]])
            cover.saved = {"first": [bytes.fromhex(each) for each in known["saved"]]}

    def add(self, group):
        self.groups.add(group)
        if not self.path:
            return
        keys, bits = self.cover.expected
        self.path.write_text(json.dumps({"keys": sorted(keys), "bits": bits, "groups": sorted(self.groups),
                                         "saved": [each.hex() for each in self.cover.saved["first"]]}))


def cell(cover, name, module, transport, most_processes, resume=None):
    """One run, and what it saves."""
    saved = cover.folder / f"{name}.saved"
    flags = ["--resume", str(resume)] if resume else ["--save-every", str(STEPS // 2)]
    processes = [] if transport == "threads" else ["--mpi", transport, "--ranks", str(min(cover.ranks(module), most_processes))]
    log = cover.train(module, 1, name, *flags, "--save", str(saved), processes=processes)
    cover.check(name, log, STEPS // 2 + 1 if resume else 1)
    cover.check_saved(name, saved)
    return saved


def run_group(cover, group):
    modules = {replicas: cover.module(*group, replicas, "lazy") for replicas in REPLICAS}
    name = ".".join(map(str, group))
    for replicas, transport in itertools.product(REPLICAS, TRANSPORTS):
        saved = cell(cover, f"{name}.{replicas}.{transport}", modules[replicas], transport, 2)
        cell(cover, f"{name}.{replicas}.{transport}.resumed", modules[next_of(REPLICAS, replicas)],
             next_of(TRANSPORTS, transport), 4, saved / f"step-{STEPS // 2}")
    cover.clear()


def tell(groups, seconds):
    each = 2 * len(TRANSPORTS) * len(REPLICAS)
    for number, (name, values) in enumerate(GROUP.items()):
        counts = ", ".join(f"{value} {each * sum(group[number] == value for group in groups)}" for value in values)
        print(f"{name + ':':14} {counts}")
    every = each * len(list(itertools.product(*GROUP.values())))
    print(f"{each * len(groups)} of {every} cells agree bit for bit in {STEPS} steps, half of them resumed, a third by each transport and on "
          f"each number of replicas; {seconds / 60:.0f} minutes")


options = argparse.ArgumentParser()
options.add_argument("--minutes", type=float, default=0)
options.add_argument("--seed", type=int, default=1)
options.add_argument("--record")
options.add_argument("--build", default=str(ROOT / "build"))
chosen = options.parse_args()
os.environ["PATH"] = f"{chosen.build}/bin:{os.environ['PATH']}"
os.environ.setdefault("PLC_RATES", "shipped")  # so that another call has the same plans

with tempfile.TemporaryDirectory() as folder:
    cover = Cover(folder, STEPS, MODEL, TRANSPORTS, REPLICAS)
    record = Record(chosen.record, cover)
    first = pairwise(list(GROUP.values()))
    others = [group for group in itertools.product(*GROUP.values()) if group not in first]
    random.Random(chosen.seed).shuffle(others)
    start = time.monotonic()
    for group in first + others:
        if group in record.groups:
            continue
        if chosen.minutes and time.monotonic() - start > 60 * chosen.minutes:
            break
        run_group(cover, group)
        record.add(group)
    for policy in REMAT:
        if cover.most_added.get(policy, 1) > 1:
            print(f"{policy}: computes up to {cover.most_added[policy]:.2f} times the operations")
    tell(record.groups, time.monotonic() - start)
