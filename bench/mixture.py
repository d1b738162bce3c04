#!/usr/bin/env python3
"""A step of a mixture of experts (the best two of E) beside PyTorch on the same core, weights and input.

usage: bench/mixture.py [--rounds N] [--repeats N] [--set KEY=VALUE]   (pip install torch==2.13.0 numpy)

Samples of S tokens of D numbers; each token is sent to two of E experts, D to F to D, whose results are weighed by a
softmax of their scores; the loss is the mean square of the result. A step is both directions and plain SGD. PyTorch has it
as usual there: a loop over experts, of which each takes its tokens by index and adds its results by index. Both sides begin
with the same weights and must agree in the loss up to rounding. Rounds alternate; printed are medians, and the ratio of
each round."""
import argparse
import json
import pathlib
import re
import statistics
import struct
import subprocess
import tempfile
import time

import numpy
import torch

root = pathlib.Path(__file__).resolve().parent.parent
MODEL = """use std.nn
dim B = {B}, S = {S}, D = {D}, E = {E}, F = {F}
batch B
layer experts(x[B, S, D]) -> y[B, S, D] {{
  param gate[D, E], up[E, D, F], down[E, F, D] ~ normal(0.05)
  z[b, s, e] = x[b, s, d] * gate[d, e]
  k[b, s, j] = topk[e, j: 2](z[b, s, e])
  g[b, s, j] = softmax[j](z[b, s, k[b, s, j]])
  h[b, s, j, f] = relu(x[b, s, d] * up[k[b, s, j], d, f])
  y[b, s, d] = g[b, s, j] * h[b, s, j, f] * down[k[b, s, j], f, d]
}}
model m(x[B, S, D]) -> loss {{
  y = experts(x)
  loss = mean[b, s, d](y[b, s, d] * y[b, s, d])
}}
"""
SIZES = {"4x256x512": (4, 256, 512, 8, 2048), "8x128x256": (8, 128, 256, 8, 1024), "2x64x512": (2, 64, 512, 8, 1408)}


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def read_tensors(file):
    data = file.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = {name: info for name, info in json.loads(data[8:8 + size]).items() if name != "__metadata__"}
    return {name: torch.frombuffer(bytearray(data[8 + size:][slice(*info["data_offsets"])]), dtype=torch.float32)
            .view(info["shape"]).clone() for name, info in header.items()}


class Plc:
    def __init__(self, shape, folder, sets):
        self.folder = folder
        words = [word for text in ["machine.threads_per_stage=1", "optimizer.kind=sgd", "optimizer.lr=0", *sets]
                 for word in ("--set", text)]
        (folder / "m.ein").write_text(MODEL.format(**dict(zip("BSDEF", shape))))
        run(root / "build/bin/plc-compile", folder / "m.ein", *words, "-o", folder / "m.plcm")
        self.data = ["--data", f"x={folder / 'x.npy'}"]

    def weights_and_loss(self):
        log = self.folder / "log.jsonl"
        run(root / "build/bin/plc-run", "train", self.folder / "m.plcm", *self.data, "--steps", 1, "--holdout", 0, "--log", log,
            "--save", self.folder / "saved")
        loss = next(line["loss"] for line in map(json.loads, log.read_text().splitlines()) if "step" in line)
        return read_tensors(self.folder / "saved/step-1/params.safetensors"), loss

    def step_ms(self, repeats):
        out = run(root / "build/bin/plc-run", "bench", self.folder / "m.plcm", *self.data, "--warmup", 2, "--repeats", repeats)
        return float(re.search(r"step +([0-9.]+) ms", out)[1])


class Torch:
    def __init__(self, weights, x):
        torch.set_num_threads(1)
        self.gate, self.up, self.down = (weights[f"experts.{name}"].requires_grad_() for name in ("gate", "up", "down"))
        self.x = torch.from_numpy(x).flatten(0, 1)
        self.optimizer = torch.optim.SGD([self.gate, self.up, self.down], lr=0)

    def loss(self):
        best, chosen = (self.x @ self.gate).topk(2, dim=-1)
        weight = best.softmax(-1)
        y = torch.zeros_like(self.x)
        for expert, (up, down) in enumerate(zip(self.up, self.down)):
            token, which = torch.where(chosen == expert)
            if len(token):
                result = torch.relu(self.x[token] @ up) @ down
                y = y.index_add(0, token, result * weight[token, which, None])
        return y.square().mean()

    def step_ms(self, repeats):
        times = []
        for _ in range(repeats + 2):
            begin = time.perf_counter()
            self.loss().backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
            times.append((time.perf_counter() - begin) * 1000)
        return statistics.median(times[2:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", default=[], help=f"of {', '.join(SIZES)}")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=6)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a key of plc's strategy")
    arguments = parser.parse_args()
    for name in arguments.sizes or SIZES:
        shape = SIZES[name]
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            x = numpy.random.default_rng(0).standard_normal(shape[:3], dtype=numpy.float32)
            numpy.save(folder / "x.npy", x)
            ours = Plc(shape, folder, arguments.set)
            weights, loss = ours.weights_and_loss()
            theirs = Torch(weights, x)
            apart = abs(loss / theirs.loss().item() - 1)
            rounds = [(ours.step_ms(arguments.repeats), theirs.step_ms(arguments.repeats)) for _ in range(arguments.rounds)]
        ratios = sorted(b / a for a, b in rounds)
        print(f"{name}: plc {statistics.median(a for a, _ in rounds):.2f} ms, PyTorch {statistics.median(b for _, b in rounds):.2f} ms a step; "
              f"plc is {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) times as fast; losses apart {apart:.1e}", flush=True)


if __name__ == "__main__":
    main()
