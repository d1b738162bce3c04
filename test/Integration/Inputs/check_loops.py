"""check_loops.py [NAME..]: loops in programs of one layer each, beside the same iterations written out and beside compiled runs.

For each: the language makes loops of it; the interpreter gives the bits that it gives for turns that are written one by one (but
where a simplification of a written turn changes a sum); gradients agree with differences in f64; compiled programs give the
interpreter's bits, whole, in micro-batches of one size and of two, and in two stages."""
import re
import subprocess
import sys

HEAD = """\
use std.nn
dim B = 4, D = 3, H = 5, T = 12, V = 7
batch B
"""
# Parameters, what stands before the iterations, an iteration (@: its number), loops in the layer; from x[B, T, D], k: i32[B, T] it makes
# y[B, T, H], an element in each iteration, and h[B, H].
CASES = {
    "recurrent": ("u[H, H], w[D, H]", "h[b: B, j: H] = 0",
                  "h[b, j] = tanh(x[b, @, i] * w[i, j] + h[b, l] * u[l, j])  y[b, @, j] = h[b, j]", 1),
    "backward": ("u[H, H], w[D, H], o[H, H]", "h[b: B, j: H] = 0.5",
                 "y[b, T - 1 - @, j] = softmax[j](h[b, l] * o[l, j] + x[b, @, i] * w[i, j])\n"
                 "h[b, j] = sigmoid(h[b, l] * u[l, j] + x[b, T - 1 - @, i] * w[i, j])", 1),
    "swapped": ("u[H, H], w[D, H]", "h[b: B, j: H] = 0.5  g[b: B, j: H] = 0.25",
                "n[b, j] = h[b, j] + g[b, j] * 0.5 + x[b, @, i] * w[i, j]  g = h  h = n  y[b, @, j] = g[b, j] * u[j, j]", 1),
    "positions": ("w[T, D, H], v[T, H], e[V, H], c[3, D]", "h[b: B, j: H] = 0",
                  "q[b] = pad(x[b, @ - 1, i]) * w[0, i, 0] + max[p: 3](pad(x[b, @ + p - 1, 1], -1)) * c[0, 0]\n"
                  "h[b, j] = h[b, j] * v[@, j] + x[b, @, i] * w[@, i, j] + e[k[b, @], j] + 0.1 * q[b] + x[b, @ // 2, 0]\n"
                  "y[b, @, j] = h[b, j]", 1),
    "numbers": ("w[D, H]", "s: i32[B]\n  s[b: B] = 1  h[b: B, j: H] = 0",
                "s[b] = (s[b] * 3 + k[b, @]) % 7\n"
                "h[b, j] = (if @ >= 3 and @ != 5 then x[b, @, i] * w[i, j] else h[b, j] + @)  y[b, @, j] = exp(0.1 * h[b, j]) * real(1 + s[b])", 1),
    "guarded": ("w[D, H], u[H, H], v[T, H]", "h[b: B, j: H] = 0",
                "q[b, i] = (if @ > 0 then x[b, @ - 1, i] else 0) + (if @ + 3 < T then x[b, @ + 3, i] else 0.5 * x[b, @, i])\n"
                "r[b, j: H] = if @ + j >= 2 and @ + j - 2 < T then x[b, @ + j - 2, 0] else -0.5\n"
                "g[b: B, j] = if @ >= 2 and x[b, 0, 0] > 0 then v[@ - 2, j] else 0\n"
                "h[b, j] = tanh(q[b, i] * w[i, j] + 0.1 * r[b, j] + h[b, l] * u[l, j] + g[b, j])  y[b, @, j] = h[b, j]", 1),
    "nested": ("u[H, H], w[D, H], v[9, H]", "h[b: B, j: H] = 0",
               "g = h  repeat s < 9 { g[b, j] = tanh(g[b, l] * u[l, j] + v[s, j] + x[b, @, 0] * s) }\n"
               "h[b, j] = g[b, j] + x[b, @, i] * w[i, j]  y[b, @, j] = h[b, j]", 2),
    "scattered": ("w[D, H]", "h[b: B, j: H] = 0  s[b: B, v: V] = 0",
                  "c: [B, V]\nc[b, k[b, @]] = x[b, @, i] * w[i, 0]\ns[b, v] = s[b, v] * 0.5 + c[b, v]\n"
                  "h[b, j] = h[b, j] + s[b, v] * w[0, j]  y[b, @, j] = max(h[b, j], -0.5)", 1),
    "attending": ("a[H, H], w[D, H], g[H], c[H]", "h[b: B, j: H] = 0.3",
                  "e[b, p] = x[b, p, i] * w[i, j] * h[b, j]  p[b, q] = softmax[q](if q <= @ then e[b, q] else -inf)\n"
                  "h[b, j] = tanh(p[b, q] * x[b, q, i] * w[i, j] + h[b, l] * a[l, j])  h = layer_norm(h, g, c)\n"
                  "y[b, @, j] = h[b, j]", 1),
    "gated": ("w[D, H], u[H, H], r[H, H]", "h[b: B, j: H] = 0",
              "g[b, j] = sigmoid(x[b, @, i] * w[i, j] + h[b, l] * r[l, j])\n"
              "n[b, j] = tanh(x[b, @, i] * w[i, j] + (g[b, l] * h[b, l]) * u[l, j])\n"
              "h[b, j] = (1 - g[b, j]) * n[b, j] + g[b, j] * h[b, j]  y[b, @, j] = h[b, j]", 1),
}
TURNS = 12


def program(parameters, before, turn, is_loop):
    if is_loop:
        loop = "repeat t < T {\n" + turn.replace("@", "t") + "\n}"
    else:  # elements are added where they belong, to zeros
        loop = "y[b: B, t: T, j: H] = 0\n"
        for t in range(TURNS):
            text = re.sub(r"T - 1 - @(?=, j\] = softmax)", str(TURNS - 1 - t), turn).replace("@", str(t))
            loop += "repeat 1 {\n" + re.sub(r"(y\[b, [^]]*\]) =", r"\1 +=", text) + "\n}\n"
    return f"""{HEAD}layer f(x[B, T, D], k: i32[B, T]) -> y[B, T, H], h[B, H] {{
  param {parameters} ~ normal(0.4)
  {before}
  {loop}
}}
layer last(y[B, T, H], h[B, H], k: i32[B, T], z[B, T, H]) -> loss {{
  d[b, t, j] = y[b, t, j] - z[b, t, j]
  loss = mean[b, t, j](d[b, t, j] * d[b, t, j]) + mean[b, j](h[b, j]) + 0 * mean[b, t](real(k[b, t]))
}}
model m(x[B, T, D], k: i32[B, T], z[B, T, H]) -> y[B, T, H], h[B, H], loss {{
  y, h = f(x, k)
  loss = last(y, h, k, z)
}}
"""


def run(*words):
    result = subprocess.run(words, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(words)}\nexit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def check(name, inputs):
    parameters, before, turn, loops = CASES[name]
    model, written = f"{name}.ein", f"{name}.written.ein"
    for file, is_loop in ((model, True), (written, False)):
        open(file, "w").write(program(parameters, before, turn, is_loop))
    found = run("plc-compile", model, "--emit=ein").count("= ein.loop")
    assert found == loops, f"{name}: {found} loops, expected {loops}"
    give = [word for item in inputs for word in ("--input", item)]
    gradient = f"grad(f.{parameters.split('[')[0]})"
    run("plc-interpret", "infer", written, *give, "--output", f"y=@{name}.y.npy", "--output", f"h=@{name}.h.npy")
    run("plc-interpret", "infer", model, *give, "--expect", f"y=@{name}.y.npy", "--expect", f"h=@{name}.h.npy")
    differences = run("plc-interpret", "check-gradients", model)
    assert "WRONG" not in differences and "nan" not in differences, differences
    for sets in ([], ["parallelism.micro_batches=2"], ["parallelism.micro_batches=3"], ["parallelism.stages=2"]):
        words = [word for each in sets for word in ("--set", each)]
        expected = [f"loss=@{name}.loss.npy", f"{gradient}=@{name}.g.npy"]
        numerics = [] if "stages" in "".join(sets) else words  # stages change no bit
        run("plc-interpret", "infer", model, *give, *numerics, *[word for item in expected for word in ("--output", item)])
        run("plc-run", "infer", model, *give, *words, "--check-arena", *[word for item in expected for word in ("--expect", item)])
    print(f"{name}: loops, written iterations, differences and compiled runs agree")


for name in sys.argv[4:] or CASES:
    check(name, sys.argv[1:4])
