#!/usr/bin/env python3
"""Measures a training step of a mixture of experts (two of E) beside PyTorch on one core.

usage: bench/mixture.py [--rounds N] [--repeats N] [--set KEY=VALUE]   (pip install torch==2.13.0 numpy)

Samples have S tokens of D numbers. Each token goes to two of E experts (D to F to D), weighted by a softmax of their
scores. The loss is the mean square of the result. A step is forward, backward and plain SGD. PyTorch loops over
experts, each of which gathers its tokens by index and adds its results by index. Both sides start from the same
weights and must agree in the loss up to rounding. Rounds alternate. Prints medians and the ratio of each round."""
import torch

from torch_step import compare_sizes

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


class Torch:
    def __init__(self, weights, x):
        torch.set_num_threads(1)
        self.gate, self.up, self.down = (weights[f"experts.{name}"].requires_grad_() for name in ("gate", "up", "down"))
        self.x = torch.from_numpy(x).flatten(0, 1)

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


def describe(name):
    shape = SIZES[name]

    def theirs(weights, x):
        step = Torch(weights, x)
        return step, [step.gate, step.up, step.down]

    return MODEL.format(**dict(zip("BSDEF", shape))), shape[:3], theirs


if __name__ == "__main__":
    compare_sizes(__doc__, SIZES, describe)
