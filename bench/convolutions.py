#!/usr/bin/env python3
"""Measures 3x3 and depthwise 7x7 convolutions, forward and backward, beside PyTorch on one core.

usage: bench/convolutions.py [--rounds N] [--repeats N] [--set KEY=VALUE]   (pip install torch==2.13.0 numpy)

A model is two convolutions of C channels on N by N images, written as rules over windows of a padded input. The loss
is the mean square of the result. A step is forward, backward and plain SGD. Both sides start from the same weights
and must agree in the loss up to rounding. Rounds alternate. Prints medians and the ratio of each round."""
import torch

from torch_step import compare_sizes

MODEL = """
dim B = {B}, C = {C}, N = {N}
batch B
layer conv(x[B, C, N, N]) -> y[B, C, N, N] {{
{rule}
}}
model m(x[B, C, N, N]) -> loss {{
  h = conv(x) in first
  y = conv(h) in second
  loss = mean[b, k, i, j](y[b, k, i, j] * y[b, k, i, j])
}}
"""
FULL = """  param w[C, C, 3, 3] ~ normal(1 / (3 * sqrt(C)))
  y[b, k, i: N, j: N] = pad(x[b, c, i + p - 1, j + q - 1]) * w[k, c, p, q]"""
DEPTHWISE = """  param w[C, 7, 7] ~ normal(1 / 7)
  y[b, k, i: N, j: N] = pad(x[b, k, i + p - 3, j + q - 3]) * w[k, p, q]"""
SIZES = {"4x16x32": (4, 16, 32), "8x64x56": (8, 64, 56), "8x128x28": (8, 128, 28), "8x256x14": (8, 256, 14), "8x512x7": (8, 512, 7),
         "8x96x28-depthwise": (8, 96, 28)}


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


def describe(name):
    shape = SIZES[name]
    rule = DEPTHWISE if name.endswith("depthwise") else FULL

    def theirs(weights, x):
        step = Torch(weights, x)
        return step, step.weights

    return MODEL.format(**dict(zip("BCN", shape)), rule=rule), (shape[0], shape[1], shape[2], shape[2]), theirs


if __name__ == "__main__":
    compare_sizes(__doc__, SIZES, describe)
