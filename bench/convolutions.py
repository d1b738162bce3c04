#!/usr/bin/env python3
"""3x3 and depthwise 7x7 convolutions forward and backward beside PyTorch on the same core, weights and input.

usage: bench/convolutions.py [--rounds N] [--repeats N] [--set KEY=VALUE]   (pip install torch==2.13.0 numpy)

A model is two convolutions of C channels on N by N images, written as rules over windows of a padded input; the loss is
the mean square of the result. Forward is inference; a step is both directions and plain SGD: two gradients of weights, one of
what lies between. Both sides begin with the same weights and must agree in the loss up to rounding. Rounds alternate;
printed are medians, and the ratio of each round."""
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
MODEL = """
dim B = {B}, C = {C}, N = {N}
batch B
layer conv(x[B, C, N, N]) -> y[B, C, N, N] {{
{rule}
}}
model m(x[B, C, N, N]) -> {results} {{
  h = conv(x) in first
  y = conv(h) in second
{loss}}}
"""
FULL = """  param w[C, C, 3, 3] ~ normal(1 / (3 * sqrt(C)))
  y[b, k, i: N, j: N] = pad(x[b, c, i + p - 1, j + q - 1]) * w[k, c, p, q]"""
DEPTHWISE = """  param w[C, 7, 7] ~ normal(1 / 7)
  y[b, k, i: N, j: N] = pad(x[b, k, i + p - 3, j + q - 3]) * w[k, p, q]"""
LOSS = "  loss = mean[b, k, i, j](y[b, k, i, j] * y[b, k, i, j])\n"
SIZES = {"4x16x32": (4, 16, 32), "8x64x56": (8, 64, 56), "8x128x28": (8, 128, 28), "8x256x14": (8, 256, 14), "8x512x7": (8, 512, 7),
         "8x96x28-depthwise": (8, 96, 28)}


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def read_tensors(file):
    data = file.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = {name: info for name, info in json.loads(data[8:8 + size]).items() if name != "__metadata__"}
    return {name: torch.frombuffer(bytearray(data[8 + size:][slice(*info["data_offsets"])]), dtype=torch.float32)
            .view(info["shape"]).clone() for name, info in header.items()}


class Plc:
    def __init__(self, shape, rule, folder, sets):
        self.folder = folder
        words = [word for text in ["machine.threads_per_stage=1", "optimizer.kind=sgd", "optimizer.lr=0", *sets]
                 for word in ("--set", text)]
        for name, results, loss, entry in (("step", "loss", LOSS, []), ("forward", "y[B, C, N, N]", "", ["--set", "preset=inference"])):
            (folder / f"{name}.ein").write_text(MODEL.format(**dict(zip("BCN", shape)), rule=rule, results=results, loss=loss))
            run(root / "build/bin/plc-compile", folder / f"{name}.ein", *(words if not entry else []), *entry, "-o", folder / f"{name}.plcm")
        self.data = ["--data", f"x={folder / 'x.npy'}"]

    def weights_and_loss(self):
        log = self.folder / "log.jsonl"
        run(root / "build/bin/plc-run", "train", self.folder / "step.plcm", *self.data, "--steps", 1, "--holdout", 0,
            "--log", log, "--save", self.folder / "saved")
        loss = next(line["loss"] for line in map(json.loads, log.read_text().splitlines()) if "step" in line)
        return read_tensors(self.folder / "saved/step-1/params.safetensors"), loss

    def step_ms(self, repeats):
        out = run(root / "build/bin/plc-run", "bench", self.folder / "step.plcm", *self.data, "--warmup", 2, "--repeats", repeats)
        return float(re.search(r"step +([0-9.]+) ms", out)[1])


class Torch:
    def __init__(self, weights, x):
        torch.set_num_threads(1)
        self.weights = [weights[f"{name}.conv.w"].requires_grad_() for name in ("first", "second")]
        self.x = torch.from_numpy(x)

    def conv(self, x, w):
        if w.dim() == 3:
            return torch.nn.functional.conv2d(x, w[:, None], padding=3, groups=len(w))
        return torch.nn.functional.conv2d(x, w, padding=1)

    def loss(self):
        return self.conv(self.conv(self.x, self.weights[0]), self.weights[1]).square().mean()

    def step_ms(self, repeats):
        times = []
        for _ in range(repeats + 2):
            begin = time.perf_counter()
            self.loss().backward()
            for weight in self.weights:
                weight.grad = None
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
            x = numpy.random.default_rng(0).standard_normal((shape[0], shape[1], shape[2], shape[2]), dtype=numpy.float32)
            numpy.save(folder / "x.npy", x)
            ours = Plc(shape, DEPTHWISE if name.endswith("depthwise") else FULL, folder, arguments.set)
            weights, loss = ours.weights_and_loss()
            theirs = Torch(weights, x)
            apart = abs(loss / theirs.loss().item() - 1)
            rounds = [(ours.step_ms(arguments.repeats), theirs.step_ms(arguments.repeats)) for _ in range(arguments.rounds)]
        ratios = sorted(b / a for a, b in rounds)
        print(f"{name}: plc {statistics.median(a for a, _ in rounds):.2f} ms, PyTorch {statistics.median(b for _, b in rounds):.2f} ms a step; "
              f"plc is {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) times as fast; losses apart {apart:.1e}", flush=True)


if __name__ == "__main__":
    main()
