"""random_states.py FIRST COUNT FOLDER: models of random layers with states, by seed; each run under random plans must give the
interpreter's bits in several runs, one after another."""
import pathlib
import random
import subprocess
import sys

import numpy as np

EXPRESSIONS = ["x[b, {d}]", "tanh(x[b, {d}])", "x[b, {d}] * w[{d}]", "x[b, e] * m[e, {d}]", "0.25"]
POSITIONS = ["p[b]", "p[b]", "p[b] - 1", "(p[b] + c[b]) // 2", "c[b]"]
READERS = ["max[t](z[b, t, d])", "sum[t](z[b, t, d])", "z[b, {last}, d]", "softmax[t](z[b, t, d]) * z[b, t, d]"]


def layer(name, draw):
    """A layer of x[B, D] and p[B]: what it keeps, how that goes on, and who reads what."""
    order = draw.choice(["t, d", "d, t"])
    row = draw.choice(EXPRESSIONS).format(d="d")
    position = draw.choice(POSITIONS)
    form = draw.choice(["row", "row", "row", "reader", "whole", "shift", "late"])
    reader = draw.choice(READERS).format(last=draw.randrange(2))
    lines = ["param w[D], m[D, D] ~ normal(0.6)", "state c: i32[B] = 1", f"state k[B, {order.upper()}] = {draw.choice([0, 0.5])}"]
    if draw.random() < 0.3:
        lines.append("n: i32[B]\n  n[b] = c[b] + p[b]\n  next c[b] = n[b] % 5")
    else:
        lines.append(f"next c[b] = (c[b] + {draw.randrange(3)}) % T")
    old = f"k[b, {order}]"
    if form in ("row", "reader", "late"):
        lines.append(f"kn[b, {order}] = if t == {position} then {row} else {old}")
    elif form == "whole":
        lines.append(f"kn[b, {order}] = 0.5 * {old} + (if t < {position} then {row} else -1)")
    else:
        lines.append(f"kn[b, {order.replace('t', 't: T')}] = if t == 0 then {row} else pad(k[b, {order.replace('t', 't - 1')}])")
    shown = draw.choice(["kn", "kn", "k"]) if form != "late" else "kn"
    lines.append(f"next k = kn\n  z[b, t, d] = {shown}[b, {order}]")
    other = {"reader": f" - 0.5 * mean[t](k[b, {order}])", "late": f" + sum[t](kn[b, {order}] * k[b, {order}])"}.get(form, "")
    lines.append(f"y[b, d] = 0.5 * x[b, d] + {reader}{other}")
    body = "\n  ".join(lines)
    return f"layer {name}(x[B, D], p: i32[B]) -> y[B, D] {{\n  {body}\n}}\n"


def program(seed):
    draw = random.Random(seed)
    batch, depth = draw.randrange(1, 6), draw.randrange(1, 4)
    text = f"use std.nn\ndim B = {batch}, D = {draw.choice([1, 3, 16, 20])}, T = {draw.randrange(2, 9)}\nbatch B\n"
    text += "".join(layer(f"l{i}", draw) for i in range(depth))
    calls = "  ".join(f"x = l{i}(x, p)" for i in range(depth))
    text += f"model m(x[B, D], p: i32[B]) -> y[B, D] {{\n  repeat {draw.randrange(1, 3)} {{ {calls} }}\n  y = x\n}}\n"
    return text, batch, depth


def main():
    first, count, folder = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    agree = 0
    for seed in range(first, first + count):
        text, batch, depth = program(seed)
        draw, files = random.Random(seed + 1), {name: folder / f"{seed}.{name}" for name in ("ein", "x.npy", "p.npy", "y.npy")}
        files["ein"].write_text(text)
        sizes = dict(word.split(" = ") for word in text.split("\n")[1][4:].split(", "))
        numbers = np.random.default_rng(seed)
        np.save(files["x.npy"], numbers.normal(size=(4, batch, int(sizes["D"]))).astype(np.float32))
        np.save(files["p.npy"], numbers.integers(-1, int(sizes["T"]) + 1, (4, batch)).astype(np.int32))
        common = ["--runs", "4", "--input", f"x=@{files['x.npy']}", "--input", f"p=@{files['p.npy']}"]
        results = [subprocess.run(["plc-interpret", "infer", files["ein"], *common, "--output", f"y=@{files['y.npy']}"])]
        for _ in range(2):
            plan = [f"parallelism.stages={draw.randrange(1, depth + 1)}",
                    f"parallelism.micro_batches={draw.randrange(1, batch + 1)}", f"fusion={draw.choice(['true', 'false'])}",
                    f"memory.strategy={draw.choice(['pooled', 'minimal-peak', 'cached'])}"]
            words = [word for text in plan for word in ("--set", text)]
            words += ["--check-arena"] if draw.random() < 0.3 else []
            results.append(subprocess.run(["plc-run", "infer", files["ein"], *common, "--expect", f"y=@{files['y.npy']}", *words]))
            if results[-1].returncode:
                print(f"seed {seed}: {' '.join(words)}", flush=True)
        agree += all(result.returncode == 0 for result in results)
    print(f"{agree} of {count} models agree")


main()
