"""optimizers.py: 100 steps of each optimizer in f64 beside its formula, here in numpy: parameters agree to 1e-10, with warm-up, schedule, clipping
and settings of their own. Runs plc-compile and plc-run in the current folder."""
import json
import math
import pathlib
import struct
import subprocess
import sys

import numpy

STEPS, BATCH, SIZE, LR, WARMUP, CLIP = 100, 8, 2100, 0.02, 10, 0.5
MODEL = f"""dim B = {BATCH}, I = {SIZE}
batch B
layer line(x[B, I]) -> y[B] {{
  param w[I] = 0.3
  y[b] = x[b, i] * w[i]
}}
model m(x[B, I], t[B]) -> loss {{
  y = line(x)
  loss = mean[b]((y[b] - t[b]) * (y[b] - t[b]))
}}
"""
# A user's own file: a mean of signs, beside a state that does not begin at 0 and a condition on the step.
OWN = """fn root(x) -> y { y = sqrt(abs(x)) }
optimizer own(w[...], g[...]; beta = 0.8 from 0 below 1, least = 0.01 above 0, first = 5) {
  state m[...] = 0, v[...] = 1
  early = step <= first
  scale = if early then 1 / (1 - power(beta, step)) else 1
  n = if early then beta * m + (1 - beta) * g else m + 0.5 * beta * (g - m)
  next m = n
  next v[...] = max(v[...], abs(g[...]))
  next w[...] = w[...] - rate * scale * (n[...] / (root(v[...]) + least)) / 2
}
"""


def own(s, w, g, t, lr):
    early = t <= s["first"]
    scale = 1 / (1 - s["beta"] ** t) if early else 1
    s["m"] = s["beta"] * s["m"] + (1 - s["beta"]) * g if early else s["m"] + 0.5 * s["beta"] * (g - s["m"])
    step = lr * scale * s["m"] / (numpy.sqrt(s["v"]) + s["least"]) / 2
    s["v"] = numpy.maximum(s["v"], abs(g))
    return w - step


def sgd(s, w, g, t, lr):
    return w - lr * g


def momentum(s, w, g, t, lr):
    s["m"] = s["momentum"] * s["m"] + g
    return w - lr * s["m"]


def nesterov(s, w, g, t, lr):
    g = g + s["weight_decay"] * w
    s["m"] = s["momentum"] * s["m"] + g
    return w - lr * (g + s["momentum"] * s["m"])


def adam(s, w, g, t, lr):
    s["m"] = s["beta1"] * s["m"] + (1 - s["beta1"]) * g
    s["v"] = s["beta2"] * s["v"] + (1 - s["beta2"]) * g * g
    root = numpy.sqrt(s["v"] / (1 - s["beta2"] ** t)) + s["eps"]
    return w - lr * (s["m"] / (1 - s["beta1"] ** t)) / root


def adamw(s, w, g, t, lr):
    return adam(s, w, g, t, lr) - lr * s["weight_decay"] * w


def lion(s, w, g, t, lr):
    step = numpy.sign(s["beta1"] * s["m"] + (1 - s["beta1"]) * g)
    s["m"] = s["beta2"] * s["m"] + (1 - s["beta2"]) * g
    return w - lr * (step + s["weight_decay"] * w)


def rmsprop(s, w, g, t, lr):
    g = g + s["weight_decay"] * w
    s["v"] = s["alpha"] * s["v"] + (1 - s["alpha"]) * g * g
    return w - lr * g / (numpy.sqrt(s["v"]) + s["eps"])


def adagrad(s, w, g, t, lr):
    g = g + s["weight_decay"] * w
    s["v"] = s["v"] + g * g
    return w - lr / (1 + (t - 1) * s["lr_decay"]) * g / (numpy.sqrt(s["v"]) + s["eps"])


# The settings that a run gives, beside the defaults of the rules, and what the states begin with.
RUNS = [
    (sgd, "sgd", {}, {}, {}),
    (momentum, "momentum", {"momentum": 0.7}, {}, {}),
    (nesterov, "nesterov", {"weight_decay": 0.05}, {"momentum": 0.9}, {}),
    (adam, "adam", {"beta1": 0.8}, {"beta2": 0.999, "eps": 1e-8}, {}),
    (adamw, "adamw", {"weight_decay": 0.1, "beta2": 0.95}, {"beta1": 0.9, "eps": 1e-8}, {}),
    (lion, "lion", {"weight_decay": 0.1}, {"beta1": 0.9, "beta2": 0.99}, {}),
    (rmsprop, "rmsprop", {"alpha": 0.9, "weight_decay": 0.01}, {"eps": 1e-8}, {}),
    (adagrad, "adagrad", {"lr_decay": 0.01}, {"eps": 1e-10, "weight_decay": 0}, {}),
    (own, "use own.ein:own", {"least": 0.02}, {"beta": 0.8, "first": 5}, {"v": 1}),
]


def rate(step):
    if step <= WARMUP:
        return LR * step / WARMUP
    return LR * (1 + math.cos(math.pi * min(1, (step - 1 - WARMUP) / (STEPS - WARMUP)))) / 2


def expected(formula, numbers, begin, x, t):
    state = {"m": numpy.zeros(SIZE), "v": numpy.full(SIZE, float(begin.get("v", 0))), **numbers}
    w = numpy.full(SIZE, 0.3)
    for step in range(1, STEPS + 1):
        g = 2 / BATCH * (x @ w - t) @ x
        norm = numpy.sqrt((g * g).sum())
        w = formula(state, w, g * (CLIP / norm if norm > CLIP else 1), step, rate(step))
    return w


def saved(folder):
    data = (pathlib.Path(folder) / "latest/params.safetensors").read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    begin, end = json.loads(data[8:8 + length])["line.w"]["data_offsets"]
    return numpy.frombuffer(data[8 + length + begin:8 + length + end])


draw = numpy.random.default_rng(1)
x, t = draw.normal(size=(BATCH, SIZE)) / 40, draw.normal(size=BATCH)
numpy.save("x.npy", x)
numpy.save("t.npy", t)
pathlib.Path("line.ein").write_text(MODEL)
pathlib.Path("own.ein").write_text(OWN)
wrong = []
for formula, kind, given, defaults, begin in RUNS:
    sets = {"optimizer.kind": f'"{kind}"', "optimizer.lr": LR, "precision.compute": "f64", "optimizer.clip_norm": CLIP,
            "optimizer.schedule": f"{{kind='cosine', total={STEPS}, warmup={WARMUP}}}", **{f"optimizer.{k}": v for k, v in given.items()}}
    arguments = [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]
    subprocess.run(["plc-compile", "line.ein", *arguments, "-o", "line.plcm"], check=True)
    subprocess.run(["plc-run", "train", "line.plcm", "--data", "x=x.npy", "--data", "t=t.npy", "--holdout", "0", "--steps", str(STEPS),
                    "--save", "run", "--overwrite"], check=True, stdout=subprocess.DEVNULL)
    error = abs(saved("run") - expected(formula, {**defaults, **given}, begin, x, t)).max()
    print(f"{kind}: {error:.1e}")
    if not error < 1e-10:
        wrong.append(kind)
sys.exit(f"not as their formulas: {', '.join(wrong)}" if wrong else 0)
