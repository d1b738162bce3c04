#!/usr/bin/env python3
"""Measures a training step of `examples/gpt.ein` beside PyTorch, eager and compiled.

usage: bench/step_beside_torch.py [--size demo|large|both] [--rounds N] [--repeats N] [--narrow]
       (pip install torch==2.13.0 numpy)

plc runs in two stages (examples/gpt.toml) and in one stage with a thread per core. All sides start from the
parameters that plc draws, train on one batch, and must agree in the losses of the first steps up to rounding. Then
runs alternate, because machines drift: each round gives one median per side. Prints medians of rounds, the ratio of
each round, and the fraction of the machine's FMA peak (measured by `plc-run bench` beside each run)."""
import argparse
import json
import os
import pathlib
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import numpy
import torch

here = pathlib.Path(__file__).resolve().parent
root = here.parent
sys.path.insert(0, str(here))
from gpt_torch import Gpt  # noqa: E402

cores = len(os.sched_getaffinity(0))
sizes_of = {"demo": {"B": 8, "S": 128, "V": 256, "L": 4, "D": 128, "H": 4},
            "large": {"B": 8, "S": 256, "V": 256, "L": 8, "D": 512, "H": 8}}
plans = {"plc, two stages": ["parallelism.stages=2"],
         f"plc, one stage, {cores} threads": ["parallelism.stages=1", "parallelism.micro_batches=1",
                                              f"machine.threads_per_stage={cores}"]}
checked_steps = 5


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def read_tensors(file):
    data = file.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    return {name: torch.frombuffer(bytearray(data[8 + size:][slice(*info["data_offsets"])]), dtype=torch.float32)
            .view(info["shape"]) for name, info in header.items()}


class Plc:
    def __init__(self, sizes, sets, folder, tag, extra):
        self.module, self.data, self.folder = folder / f"{tag}.plcm", [], folder
        words = [word for text in sets + extra for word in ("--set", text)]
        self.compile = [root / "build/bin/plc-compile", root / "examples/gpt.ein", "--strategy",
                        root / "examples/gpt.toml", *words, *[f"-D{name}={size}" for name, size in sizes.items()]]
        run(*self.compile, "-o", self.module)
        for name in ("tok", "next"):
            self.data += ["--data", f"{name}={folder / name}.npy"]

    def initial_values(self):
        """What one step that moves nothing saves."""
        still = self.folder / "still.plcm"
        run(*self.compile, "--set", "optimizer.lr=0", "-o", still)
        run(root / "build/bin/plc-run", "train", still, *self.data, "--steps", 1, "--holdout", 0, "--save",
            self.folder / "still")
        return read_tensors(self.folder / "still/step-1/params.safetensors")

    def losses(self):
        log = self.folder / "log.jsonl"
        log.unlink(missing_ok=True)
        run(root / "build/bin/plc-run", "train", self.module, *self.data, "--steps", checked_steps, "--holdout", 0,
            "--log", log)
        return [line["loss"] for line in map(json.loads, log.read_text().splitlines()) if "step" in line]

    def step_ms(self, repeats):
        """Median, the step's operations, and the peak of all cores."""
        out = run(root / "build/bin/plc-run", "bench", self.module, *self.data, "--warmup", 2, "--repeats", repeats)
        ms = float(re.search(r"step +([0-9.]+) ms", out)[1])
        rate, peak = map(float, re.search(r"rate +([0-9.]+) .*\(([0-9.]+) GFLOP/s\)", out).groups())
        return ms, rate * ms, peak


class Torch:
    def __init__(self, sizes, values, rows, compiled, narrow=False):
        self.narrow = narrow
        torch.set_num_threads(cores)
        self.model = Gpt(sizes)
        self.rows = [torch.from_numpy(array).long() for array in rows]
        self.model.take(values)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=2e-3, weight_decay=0.01, betas=(0.9, 0.95))
        self.loss = torch.compile(self.model) if compiled else self.model

    def step(self):
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.narrow):
            loss = self.loss(*self.rows)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def losses(self):
        return [self.step() for _ in range(checked_steps)]

    def step_ms(self, repeats):
        times = []
        for _ in range(repeats + 2):
            begin = time.perf_counter()
            self.step()
            times.append((time.perf_counter() - begin) * 1000)
        return statistics.median(times[2:]), None, None


def measure(size, arguments):
    sizes = sizes_of[size]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        text = numpy.random.default_rng(0).integers(0, sizes["V"], (sizes["B"], sizes["S"] + 1), dtype=numpy.int32)
        rows = [numpy.ascontiguousarray(text[:, :-1]), numpy.ascontiguousarray(text[:, 1:])]
        for name, array in zip(("tok", "next"), rows):
            numpy.save(folder / f"{name}.npy", array)
        sides = {name: Plc(sizes, sets, folder, f"plan{i}", arguments.set) for i, (name, sets) in enumerate(plans.items())}
        values = next(iter(sides.values())).initial_values()
        for compiled in (False, True):
            sides["PyTorch " + ("compiled" if compiled else "eager")] = Torch(sizes, values, rows, compiled)
        if arguments.narrow:
            for name, plc in list(sides.items())[:len(plans)]:
                sides[name + ", mixed"] = Plc(sizes, plans[name], folder, f"{plc.module.stem}-mixed", arguments.set + ["precision.compute=mixed"])
            for compiled in (False, True):
                sides["PyTorch bf16 " + ("compiled" if compiled else "eager")] = Torch(sizes, values, rows, compiled, narrow=True)
        losses = {name: side.losses() for name, side in sides.items()}
        rounds = [{name: side.step_ms(arguments.repeats) for name, side in sides.items()}
                  for _ in range(arguments.rounds)]
    print(f"{size}: {sizes}, {cores} cores, {len(rounds)} rounds")
    report(losses, rounds)


def report(losses, rounds):
    reference = losses["PyTorch eager"]
    plc = [name for name in losses if name.startswith("plc")]
    operations = rounds[0][plc[0]][1]
    peak = max(r[name][2] for r in rounds for name in plc)
    for name in losses:
        ms = [r[name][0] for r in rounds]
        apart = max(abs(a / b - 1) for a, b in zip(losses[name], reference))
        print(f"  {name:28} {statistics.median(ms):9.1f} ms ({min(ms):.1f}-{max(ms):.1f})  "
              f"{operations / statistics.median(ms) / peak:.2f} of the FMA peak  loss apart {apart:.1e}")
    for ours in plc:
        for theirs in losses:
            if theirs not in plc:
                ratios = sorted(r[theirs][0] / r[ours][0] for r in rounds)
                print(f"  {ours} is {statistics.median(ratios):.2f} ({ratios[0]:.2f}-{ratios[-1]:.2f}) times as fast as {theirs}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=["demo", "large", "both"], default="both")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=6)
    parser.add_argument("--narrow", action="store_true", help="`mixed` and PyTorch's autocast to bf16 as well")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a key of plc's strategy")
    arguments = parser.parse_args()
    for size in sizes_of if arguments.size == "both" else [arguments.size]:
        measure(size, arguments)


if __name__ == "__main__":
    main()
