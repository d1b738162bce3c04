#!/usr/bin/env python3
"""turns.py [ROUNDS]: CPU time to compile an LSTM of 256 turns, as a multiple of that of 64 (turns are unrolled). The
sides alternate."""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parent.parent
MODEL = """dim B = 4, T = 64, I = 16, K = 32
batch B
layer lstm(x[B, T, I]) -> h[B, K] {
  param w[4, I, K], u[4, K, K] ~ normal(0.1)
  h[b: B, k: K] = 0
  c[b: B, k: K] = 0
  repeat t < T {
    z[g, b, k] = x[b, t, i] * w[g, i, k] + h[b, j] * u[g, j, k]
    c[b, k] = sigmoid(z[0, b, k]) * c[b, k] + sigmoid(z[1, b, k]) * tanh(z[2, b, k])
    h[b, k] = sigmoid(z[3, b, k]) * tanh(c[b, k])
  }
}
model m(x[B, T, I], y[B, K]) -> loss {
  h = lstm(x)
  loss = mean[b](sum[k]((h[b, k] - y[b, k]) * (h[b, k] - y[b, k])))
}
"""


def seconds(model, turns):
    before = os.times()
    subprocess.run([ROOT / "build/bin/plc-compile", model, f"-DT={turns}", "-o", f"{model}.plcm"], check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        model = f"{folder}/lstm.ein"
        pathlib.Path(model).write_text(MODEL)
        ratios = []
        for _ in range(rounds):
            few = seconds(model, 64)
            ratios.append(seconds(model, 256) / few)
        print(f"256 turns compile in {statistics.median(ratios):.1f} times the CPU time of 64 "
              f"({min(ratios):.1f} to {max(ratios):.1f} over {rounds} rounds)")


main()
