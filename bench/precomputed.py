#!/usr/bin/env python3
"""Measures inference with precomputed tables and merged weights (`memory.strategy` `cached`) beside `pooled`.

usage: bench/precomputed.py [ROUNDS] [MODEL] [OTHER]

Each round compares the fastest of 50 runs of both. MODEL is `decoder` (four layers with rotary positions, ALiBi
slopes and low-rank updates of weights, one sample a batch) or `rope` (the library's rotary positions of 8 samples, 8
heads, 128 positions of 64 numbers). OTHER is a folder of another build's tools, whose pooled plan is compared as
well."""
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
run, compile_ = root / "build/bin/plc-run", root / "build/bin/plc-compile"
rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
model = sys.argv[2] if len(sys.argv) > 2 else "decoder"
other = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
MODELS = {"rope": """
use std.seq
dim B = 8, H = 8, S = 128, K = 64
batch B
model rope(q[B, H, S, K]) -> y[B, H, S, K] { y = rope(q) }
""", "decoder": """
use std.nn
dim B = 1, S = 64, D = 128, H = 4, K = D / H, J = K / 2, F = 4 * D, R = 8
batch B
layer attention(x[B, S, D]) -> y[B, S, D] {
  param g[D] = 1
  param wq[D, H, 2, J], wk[D, H, 2, J], wv[D, H, K], wo[H, K, D] ~ normal(0.02)
  angle[s: S, j: J] = s * exp(-(9.2103 / J) * j)
  n = rms_norm(x, g)
  q[b, h, s, p, j] = n[b, s, d] * wq[d, h, p, j]
  k[b, h, s, p, j] = n[b, s, d] * wk[d, h, p, j]
  q0[b, h, s, j] = q[b, h, s, 0, j] * cos(angle[s, j]) - q[b, h, s, 1, j] * sin(angle[s, j])
  q1[b, h, s, j] = q[b, h, s, 0, j] * sin(angle[s, j]) + q[b, h, s, 1, j] * cos(angle[s, j])
  k0[b, h, s, j] = k[b, h, s, 0, j] * cos(angle[s, j]) - k[b, h, s, 1, j] * sin(angle[s, j])
  k1[b, h, s, j] = k[b, h, s, 0, j] * sin(angle[s, j]) + k[b, h, s, 1, j] * cos(angle[s, j])
  v[b, h, t, k] = n[b, t, d] * wv[d, h, k]
  slope[h: H] = exp(-0.5 * (h + 1))
  score[b, h, s, t] = q0[b, h, s, j] * k0[b, h, t, j] + q1[b, h, s, j] * k1[b, h, t, j]
  p[b, h, s, t] = softmax[t](if t <= s then score[b, h, s, t] / sqrt(K) + slope[h] * (t - s) else -inf)
  y[b, s, d] = x[b, s, d] + p[b, h, s, t] * v[b, h, t, k] * wo[h, k, d]
}
layer ffn(x[B, S, D]) -> y[B, S, D] {
  param g[D] = 1
  param w1[D, F], a1[D, R], b1[R, F], w2[F, D], a2[F, R], b2[R, D] ~ normal(0.02)
  n = rms_norm(x, g)
  m1[d, f] = w1[d, f] + a1[d, r] * b1[r, f]
  m2[f, d] = w2[f, d] + a2[f, r] * b2[r, d]
  h[b, s, f] = gelu(n[b, s, d] * m1[d, f])
  y[b, s, d] = x[b, s, d] + h[b, s, f] * m2[f, d]
}
model decoder(x[B, S, D]) -> y[B, S, D] {
  y = x
  repeat 4 { y = attention(y)  y = ffn(y) }
}
"""}


def milliseconds(module):
    tool = other / "plc-run" if module.stem == "other" else run
    text = subprocess.run([tool, "bench", module, "--warmup", "5", "--repeats", "50"], check=True, capture_output=True,
                          text=True).stdout
    return float(re.search(r"ms median, ([0-9.]+) to", text).group(1))


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "model.ein").write_text(MODELS[model])
    modules = {}
    for side in ["cached", "pooled"] + ["other"] * bool(other):
        modules[side] = folder / f"{side}.plcm"
        command = [other / "plc-compile" if side == "other" else compile_, folder / "model.ein", "--set",
                   "machine.threads_per_stage=1", "--set", f"memory.strategy={'cached' if side == 'cached' else 'pooled'}"]
        subprocess.run(command + ["-o", modules[side]], check=True)
        plan = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        print(f"{side}: predicted {re.search(r'step with messages, waits, help and updates (.*)', plan)[1]}")
    rows = []
    for i in range(rounds):
        rows.append({side: milliseconds(modules[side]) for side in (sorted(modules) if i % 2 else sorted(modules)[::-1])})
    for side in modules:
        ratios = [row[side] / row["cached"] for row in rows]
        print(f"{side}: {statistics.median(row[side] for row in rows):.2f} ms, {statistics.median(ratios):.2f} times as long as "
              f"cached (median of {rounds}; {min(ratios):.2f} to {max(ratios):.2f})")
