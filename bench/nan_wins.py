#!/usr/bin/env python3
"""Measures what `max` and `min` cost since NaN wins in them, beside a build before.

usage: bench/nan_wins.py BEFORE AFTER

BEFORE and AFTER are folders of builds' tools. Runs the forward kernels of a softmax, a maximum of two tensors,
maxima over the last and over a leading axis, a pooling and a relu, alternating. Prints for each the median ratio of
times (after over before) with its range over the rounds."""
import argparse
import array
import json
import math
import os
import pathlib
import statistics
import struct
import subprocess
import tempfile

os.environ["PLC_THREADS_PER_STAGE"] = "1" # beside ranks, no further workers

options = argparse.ArgumentParser()
options.add_argument("before")
options.add_argument("after")
options.add_argument("--rounds", type=int, default=7)
chosen = options.parse_args()
KERNELS = {
    "softmax": ("y[n, i] = softmax[i](s * x[n, i])", "y[N, D]"),
    "max(a, b)": ("y[n, i] = max(s * x[n, i], x[n, i])", "y[N, D]"),
    "max over the last axis": ("y[n] = max[i](s * x[n, i])", "y[N]"),
    "max over a leading axis": ("y[n, j] = max[k](s * x[n, 32*k + j])", "y[N, 32]"),
    "pooling 2": ("y[n, i] = max[p: 2](s * x[n, 2*i + p])", "y[N, D / 2]"),
    "relu": ("y[n, i] = relu(s * x[n, i])", "y[N, D]"),
}
MODEL = """use std.nn
dim N = 256, D = 512
batch N
layer f(x[N, D]) -> {result} {{
  param s = 0.5
  {rule}
}}
model m(x[N, D]) -> loss {{
  y = f(x)
  loss = {loss}
}}
"""

with tempfile.TemporaryDirectory() as folder:
    def kernelTime(tools, module):
        log = f"{folder}/log"
        pathlib.Path(log).unlink(missing_ok=True)
        subprocess.run([f"{tools}/plc-run", "train", module, "--data", f"x={folder}/x.npy", "--steps", "200", "--holdout", "0",
                        "--log", log], check=True, capture_output=True)
        kernels = json.loads(pathlib.Path(log).read_text().splitlines()[-1])["summary"]["kernels"]
        return sum(k["median_ns"] * k["calls"] for k in kernels if k["kernel"].startswith("f.F."))

    values = array.array("f", [math.sin(i) for i in range(256 * 512)])
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (256, 512), }".ljust(117) + "\n"
    pathlib.Path(f"{folder}/x.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values.tobytes())

    for name, (rule, result) in KERNELS.items():
        pathlib.Path(f"{folder}/m.ein").write_text(MODEL.format(rule=rule, result=result, loss="mean[n](y[n])" if result == "y[N]" else "mean[n, i](y[n, i])"))
        for side in (chosen.before, chosen.after):
            subprocess.run([f"{side}/plc-compile", f"{folder}/m.ein", "--set", "profiling=true", "-o",
                            f"{folder}/{'before' if side == chosen.before else 'after'}.plcm"], check=True)
        ratios = []
        for _ in range(chosen.rounds):
            before = kernelTime(chosen.before, f"{folder}/before.plcm")
            ratios.append(kernelTime(chosen.after, f"{folder}/after.plcm") / before)
        print(f"{name:24} {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})", flush=True)
