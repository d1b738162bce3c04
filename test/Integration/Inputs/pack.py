"""pack.py: models and rows of tokens in the forms that --pack reads, and padded tensors of the same rows.
pack.py compare A B: the losses and gradient norms of two logs agree within rounding."""
import json
import sys

import numpy as np

if sys.argv[1:]:
    a, b = ([json.loads(line) for line in open(file) if line.startswith('{"step"')] for file in sys.argv[2:])
    assert len(a) == len(b) == 5
    for left, right in zip(a, b):
        for name in ("loss", "grad_norm"):
            assert abs(left[name] - right[name]) < 1e-5 * right[name], (name, left, right)
    sys.exit()

S = 11
lengths = [4, 11, 2, 3, 8, 5, 6, 9, 3, 4] # of tokens with a next one: five windows of 11
generator = np.random.default_rng(0)
rows = [generator.integers(1, 16, length + 1).tolist() for length in lengths]
flat = [token for row in rows for token in row]
np.save("flat.npy", np.array(flat, np.int64))
np.array(flat, np.uint16).tofile("flat.bin")
np.save("flat.offsets.npy", np.cumsum([0] + [len(row) for row in rows]))


def lines(file, values):
    open(file, "w").write("".join(json.dumps(value) + "\n" for value in values))


lines("rows.jsonl", rows)
lines("objects.jsonl", [{"text": "..", "ids": row} for row in rows])
lines("part-1.jsonl", rows[:4])
lines("part-2.jsonl", rows[4:])
lines("longer.jsonl", [rows[0], rows[1] + [1], *rows[2:4]])
tok, nxt, seg, pos = (np.zeros((len(rows), S), np.int32) for _ in range(4))
for i, row in enumerate(rows):
    n = len(row) - 1
    tok[i, :n], nxt[i, :n], seg[i, :n], pos[i, :n] = row[:-1], row[1:], 1, np.arange(n)
for name, tensor in {"tok": tok, "next": nxt, "seg": seg, "pos": pos}.items():
    np.save(name + ".npy", tensor)

model = """use std.nn
dim B = 5, S = 11, V = 16, D = 8
batch B
layer net(tok: i32[B, S], seg: i32[B, S], pos: i32[B, S]) -> z[B, S, V] {
  param w[V, D], p[S, D], q[D, D], k[D, D], v[D, D], o[D, V] ~ normal(0.5)
  x[b, s, d] = w[tok[b, s], d] + p[pos[b, s], d]
  a[b, s, e] = x[b, s, d] * q[d, e]
  c[b, s, e] = x[b, s, d] * k[d, e]
  g[b, s, e] = x[b, s, d] * v[d, e]
  e[b, s, t] = a[b, s, d] * c[b, t, d]
  h[b, s, t] = softmax[t](if t <= s and seg[b, s] == seg[b, t] then e[b, s, t] else -inf)
  y[b, s, d] = x[b, s, d] + h[b, s, t] * g[b, t, d]
  z[b, s, v] = y[b, s, d] * o[d, v]
}
model m(tok: i32[B, S], next: i32[B, S], seg: i32[B, S], pos: i32[B, S]) -> loss {
  z = net(tok, seg, pos)
  c[b, s] = cross_entropy[v](z[b, s, v], next[b, s])
  loss = sum[b, s](if seg[b, s] > 0 then c[b, s] else 0) / sum[b, s](if seg[b, s] > 0 then 1 else 0)
}
"""
open("pack.ein", "w").write(model)
open("blind.ein", "w").write(model.replace(" and seg[b, s] == seg[b, t]", ""))
small = """dim B = 2, S = 11
batch B
layer f(x[B, S]) -> z[B, S] {
  param w = 1
  z[b, s] = x[b, s] * w
}
model m(tok: i32[B, S], KIND) -> loss {
  x[b, s] = real(tok[b, s]) * real(USE)
  z = f(x)
  loss = mean[b, s](z[b, s])
}
"""
open("shape.ein", "w").write(small.replace("KIND", "seg: i32[B, S], y: i32[B]").replace("USE", "seg[b, s] * y[b]"))
open("whole.ein", "w").write(small.replace("KIND", "s[S]").replace("real(USE)", "s[s]"))
open("real.ein", "w").write(small.replace("KIND", "seg[B, S]").replace("real(USE)", "seg[b, s]"))
