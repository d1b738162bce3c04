#!/usr/bin/env python3
"""optimizers_torch.py: each optimizer of the library beside PyTorch's, in f64: 100 steps of one model from the same parameters on the same data.
Prints, for each recipe, the largest difference of a parameter. A recipe has groups of parameters, a schedule, clipping and averages."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy
import torch
from safetensors.numpy import save_file

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("PLC_BIN", ROOT / "build" / "bin"))
STEPS, BATCH, LR = 100, 16, 0.01
SIZES = {"I": 12, "H": 24, "O": 3}
MODEL = """dim B = 16, I = 12, H = 24, O = 3
batch B
layer hidden(x[B, I]) -> y[B, H] {
  param w[I, H] ~ normal(0.3), bias[H] = 0
  y[b, h] = tanh(x[b, i] * w[i, h] + bias[h])
}
layer head(x[B, H]) -> y[B, O] {
  param w[H, O] ~ normal(0.3), bias[O] = 0
  y[b, o] = x[b, h] * w[h, o] + bias[o]
}
model mlp(x[B, I], t[B, O]) -> loss {
  y = head(hidden(x))
  loss = mean[b, o]((y[b, o] - t[b, o]) * (y[b, o] - t[b, o]))
}
"""
NAMES = ["hidden.w", "hidden.bias", "head.w", "head.bias"]


def tensors(path):
    """A safetensors file of f64."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    return {name: numpy.frombuffer(data[8 + size:][slice(*entry["data_offsets"])], "<f8").reshape(entry["shape"])
            for name, entry in header.items() if name != "__metadata__"}


def groups(p, **values):
    """Biases without decay and at another rate, the rest by `values`."""
    biases = [p["hidden.bias"], p["head.bias"]]
    return [{"params": biases, "lr": 2 * LR, "weight_decay": 0}, {"params": [p["hidden.w"], p["head.w"]], **values}]


def by_axes(p, kind, weight_decay=0.1, **values):
    """Matrices have one optimizer, vectors AdamW."""
    matrices, vectors = [each for each in p.values() if each.dim() > 1], [each for each in p.values() if each.dim() < 2]
    return kind(matrices, LR, weight_decay=weight_decay, **values), optim.AdamW(vectors, LR, weight_decay=weight_decay)


torch.Tensor.bfloat16 = lambda tensor: tensor  # Muon of PyTorch rounds to it; here all is f64
BIASES = """
[[optimizer.group]]
match = "*.bias"
lr = 0.02
"""
optim = torch.optim
RECIPES = {
    "sgd": ("", lambda p: optim.SGD(p.values(), LR)),
    "momentum": ("momentum = 0.8", lambda p: optim.SGD(p.values(), LR, momentum=0.8)),
    "nesterov": ("weight_decay = 0.1", lambda p: optim.SGD(p.values(), LR, momentum=0.9, nesterov=True, weight_decay=0.1)),
    "adam": ("beta2 = 0.99", lambda p: optim.Adam(p.values(), LR, betas=(0.9, 0.99))),
    "adamw": ("weight_decay = 0.1", lambda p: optim.AdamW(p.values(), LR, weight_decay=0.1)),
    "rmsprop": ("weight_decay = 0.1", lambda p: optim.RMSprop(p.values(), LR, weight_decay=0.1)),
    "adagrad": ("lr_decay = 0.1", lambda p: optim.Adagrad(p.values(), LR, lr_decay=0.1)),
    "adamw, groups": ("weight_decay = 0.1" + BIASES + "weight_decay = 0", lambda p: optim.AdamW(groups(p), LR, weight_decay=0.1)),
    "adamw, matrices": ("weight_decay = 0.1\ndecay_matrices_only = true",
                        lambda p: optim.AdamW([{"params": [p["hidden.bias"], p["head.bias"]], "weight_decay": 0},
                                               {"params": [p["hidden.w"], p["head.w"]]}], LR, weight_decay=0.1)),
    "adamw, layers": ("layer_decay = 0.5",
                      lambda p: optim.AdamW([{"params": [p["hidden.w"], p["hidden.bias"]], "lr": LR / 2},
                                             {"params": [p["head.w"], p["head.bias"]]}], LR, weight_decay=0.01)),
    "sgd, frozen": ("[[optimizer.group]]\nmatch = \"hidden.*\"\nfrozen = true", lambda p: optim.SGD([p["head.w"], p["head.bias"]], LR)),
    "adamw, cosine": ("schedule = { kind = \"cosine\", warmup = 10, total = 100, floor = 0.1 }", lambda p: optim.AdamW(p.values(), LR)),
    "adamw, clipped": ("clip_norm = 0.05", lambda p: optim.AdamW(p.values(), LR)),
    "sgd, clipped values": ("clip_value = 0.01", lambda p: optim.SGD(p.values(), LR)),
    "sgd, clipped groups": ("clip_norm = 0.05" + BIASES + "clip_norm = 0.01", lambda p: optim.SGD(groups(p), LR)),
    "muon": ("momentum = 0.9", lambda p: by_axes(p, optim.Muon, momentum=0.9, eps=1e-7, adjust_lr_fn="match_rms_adamw")),
    "muon, groups": ("weight_decay = 0.2\n[[optimizer.group]]\nmatch = \"head.*\"\nkind = \"adamw\"\nlr = 0.02",
                     lambda p: [*by_axes({name: p[name] for name in NAMES[:2]}, optim.Muon, weight_decay=0.2, adjust_lr_fn="match_rms_adamw"),
                                optim.AdamW([p["head.w"], p["head.bias"]], 2 * LR)]),
    "adafactor": ("weight_decay = 0.1", lambda p: optim.Adafactor(p.values(), LR, eps=(1.1920929e-7, 1e-3), weight_decay=0.1)),
    "adamw, averages": ("ema = 0.9", lambda p: optim.AdamW(p.values(), LR)),
}


def cosine(step):
    return step / 10 if step <= 10 else 0.1 + 0.9 * (1 + numpy.cos(numpy.pi * (step - 11) / 90)) / 2


def clip_norm(parameters, most):
    """As torch.nn.utils.clip_grad_norm_, which adds 1e-6 to the norm: that is all they differ by."""
    parameters = list(parameters)
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(each.grad) for each in parameters]))
    for each in parameters:
        each.grad *= torch.clamp(most / norm, max=1)


def clip(name, p):
    if name == "adamw, clipped":
        clip_norm(p.values(), 0.05)
    if name == "sgd, clipped values":
        torch.nn.utils.clip_grad_value_(p.values(), 0.01)
    if name == "sgd, clipped groups":
        clip_norm([p["hidden.bias"], p["head.bias"]], 0.01)
        clip_norm([p["hidden.w"], p["head.w"]], 0.05)


def by_torch(name, make, first, x, t):
    p = {name: torch.tensor(first[name].copy(), requires_grad=True) for name in NAMES}
    made = make(p)
    optimizers = made if isinstance(made, (list, tuple)) else [made]
    groups_of_all = [group for optimizer in optimizers for group in optimizer.param_groups]
    rates = [group["lr"] for group in groups_of_all]
    averages = {name: value.detach().clone() for name, value in p.items()}
    for step in range(1, STEPS + 1):
        for group, rate in zip(groups_of_all, rates):
            group["lr"] = rate * (cosine(step) if "cosine" in name else 1)
        y = torch.tanh(x @ p["hidden.w"] + p["hidden.bias"]) @ p["head.w"] + p["head.bias"]
        for each in p.values():
            each.grad = None
        ((y - t) ** 2).mean().backward()
        clip(name, p)
        for optimizer in optimizers:
            optimizer.step()
        for each in NAMES:
            averages[each] = 0.9 * averages[each] + (1 - 0.9) * p[each].detach()
    return {key: value.detach().numpy() for key, value in p.items()}, {key: value.numpy() for key, value in averages.items()}


def run(*arguments):
    done = subprocess.run([str(each) for each in arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr}")


def by_plc(folder, name, keys):
    kind, *_ = name.split(",")
    (folder / "s.toml").write_text(f"[optimizer]\nkind = \"{kind}\"\nlr = {LR}\n{keys}\n[precision]\ncompute = \"f64\"\n")
    run(BIN / "plc-compile", folder / "mlp.ein", "--strategy", folder / "s.toml", "-o", folder / "m.plcm")
    run(BIN / "plc-run", "train", folder / "m.plcm", "--params", folder / "first.safetensors", "--data", f"x={folder}/x.npy",
        "--data", f"t={folder}/t.npy", "--steps", STEPS, "--holdout", 0, "--save", folder / "run", "--overwrite")
    averages = folder / "run" / "latest" / "ema.safetensors"
    return tensors(folder / "run" / "latest" / "params.safetensors"), tensors(averages) if "averages" in name else None


def main():
    worst = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "mlp.ein").write_text(MODEL)
        random = numpy.random.default_rng(1)
        x, t = random.standard_normal((BATCH, SIZES["I"])), random.standard_normal((BATCH, SIZES["O"]))
        numpy.save(folder / "x.npy", x), numpy.save(folder / "t.npy", t)
        first = {name: random.standard_normal(shape) * 0.3
                 for name, shape in zip(NAMES, ((SIZES["I"], SIZES["H"]), (SIZES["H"],), (SIZES["H"], SIZES["O"]), (SIZES["O"],)))}
        save_file({name: value.copy() for name, value in first.items()}, folder / "first.safetensors")
        for recipe, (keys, make) in RECIPES.items():
            found, averages = by_plc(folder, recipe, keys)
            wanted, wantedAverages = by_torch(recipe, make, first, torch.tensor(x), torch.tensor(t))
            difference = max(numpy.abs(found[each] - wanted[each]).max() for each in NAMES)
            if averages:
                difference = max(difference, *(numpy.abs(averages[each] - wantedAverages[each]).max() for each in NAMES))
            moved = max(numpy.abs(found[each] - first[each]).max() for each in NAMES)
            print(f"{recipe:20} differs by {difference:.1e}, moved by {moved:.1e}", flush=True)
            worst = max(worst, difference)
    sys.exit(f"found a difference of {worst}, expected at most 1e-10" if worst > 1e-10 else 0)


if __name__ == "__main__":
    main()
