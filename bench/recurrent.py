#!/usr/bin/env python3
"""Measures an LSTM, forward and backward, beside PyTorch, and its compile time by the number of iterations.

usage: bench/recurrent.py [B,T,D,H ..] [--rounds N] [--repeats N] [--threads N]   (pip install torch==2.13.0 numpy)

One layer of T iterations, written as rules in a `repeat`; the loss is the mean square of all outputs. A step is
forward, backward and plain SGD. Both sides have the same weights and must agree in the loss up to rounding. Rounds
alternate. Prints medians and the ratio of each round. Then the CPU time of plc-compile and the module's bytes for 16
and 4,096 iterations, and the bytes and the step of 4,096 iterations with all values saved, and with iterations
recomputed from saved segments."""
import argparse
import json
import pathlib
import resource
import statistics
import tempfile

import numpy
import torch

from torch_step import Step, compare, compile_model

MODEL = """
dim B = {B}, T = {T}, D = {D}, H = {H}
batch B
layer lstm(x[B, T, D]) -> y[B, T, H] {{
  param wi[D, 4 * H], wh[H, 4 * H], c[4 * H] ~ normal(0.1)
  h[b: B, j: H] = 0
  s[b: B, j: H] = 0
  repeat t < T {{
    g[b, k] = x[b, t, i] * wi[i, k] + h[b, j] * wh[j, k] + c[k]
    s[b, j] = sigmoid(g[b, H + j]) * s[b, j] + sigmoid(g[b, 0 + j]) * tanh(g[b, 2 * H + j])
    h[b, j] = sigmoid(g[b, 3 * H + j]) * tanh(s[b, j])
    y[b, t, j] = h[b, j]
  }}
}}
model m(x[B, T, D]) -> loss {{
  y = lstm(x)
  loss = mean[b, t, j](y[b, t, j] * y[b, t, j])
}}
"""


class Torch:
    def __init__(self, weights, x, threads):
        torch.set_num_threads(threads)
        inputs, hidden = weights["lstm.wi"].shape[0], weights["lstm.wh"].shape[0]
        self.lstm = torch.nn.LSTM(inputs, hidden, batch_first=True)
        with torch.no_grad():
            self.lstm.weight_ih_l0.copy_(weights["lstm.wi"].T)
            self.lstm.weight_hh_l0.copy_(weights["lstm.wh"].T)
            self.lstm.bias_ih_l0.copy_(weights["lstm.c"])
            self.lstm.bias_hh_l0.zero_()
        self.x = torch.from_numpy(x)

    def loss(self):
        return self.lstm(self.x)[0].square().mean()


def compile_cost(folder, iterations):
    seconds = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        module = compile_model(MODEL.format(B=8, T=iterations, D=32, H=64), folder, [])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return f"{iterations} iterations {statistics.median(seconds):.2f} s, {module.stat().st_size} bytes"


def long_step(folder, iterations, threads):
    """The arena's MiB and the step's ms of a model of 4096 iterations."""
    shape = dict(B=16, T=4096, D=64, H=128)
    numpy.save(folder / "x.npy", numpy.random.default_rng(0).standard_normal(list(shape.values())[:3], dtype=numpy.float32))
    step = Step(MODEL.format(**shape), folder, threads, [f"checkpoint.loops={iterations}"])
    step.weights_and_loss()
    plan = json.loads((folder / "log.jsonl").read_text().splitlines()[0])["plan"]
    return sum(stage["peak_bytes"] for stage in plan["stages"]) / 2**20, step.ms(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", default=["16,256,128,256", "32,256,256,512"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    for name in arguments.sizes:
        shape = [int(extent) for extent in name.split(",")]
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            x = numpy.random.default_rng(0).standard_normal(shape[:3], dtype=numpy.float32)
            numpy.save(folder / "x.npy", x)
            ours = Step(MODEL.format(**dict(zip("BTDH", shape))), folder, arguments.threads)
            weights, loss = ours.weights_and_loss()
            theirs = Torch(weights, x, arguments.threads)
            compare(name, ours, loss, theirs.loss, theirs.lstm.parameters(), arguments.rounds, arguments.repeats)
    with tempfile.TemporaryDirectory() as folder:
        print("compiling:", "; ".join(compile_cost(pathlib.Path(folder), iterations) for iterations in (16, 4096)))
        for iterations in ("keep", "recompute"):
            mib, ms = long_step(pathlib.Path(folder), iterations, arguments.threads)
            print(f"4096 iterations, {iterations}: {mib:.1f} MiB, {ms:.0f} ms a step")


if __name__ == "__main__":
    main()
