#!/usr/bin/env python3
"""Compares predicted and measured times of kernels.

usage: bench/kernel_times.py [--build BUILD] [--rates FILE|shipped]

Trains each of several GPTs in one stage and compares each kernel's prediction with the median of its calls. Without
--rates it calibrates the machine first. Prints, for each model and over all, predicted over measured time of a
step's kernels, and the median error of kernels that take more than 5 us."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

os.environ["PLC_THREADS_PER_STAGE"] = "1" # beside ranks, no further workers

root = pathlib.Path(__file__).resolve().parent.parent
options = argparse.ArgumentParser()
options.add_argument("--build", default=str(root / "build"))
options.add_argument("--rates")
options.add_argument("--steps", type=int, default=30)
chosen = options.parse_args()
MODELS = [("gpt", []), ("gpt", ["-DB=8", "-DD=256", "-DL=1", "-DH=4"]), ("gpt", ["-DB=4", "-DD=64", "-DL=1", "-DS=64"]),
          ("gpt", ["-DB=2", "-DD=512", "-DH=8", "-DL=1"])]

with tempfile.TemporaryDirectory() as folder:
    def run(tool, *arguments):
        return subprocess.run([f"{chosen.build}/bin/{tool}", *arguments], check=True, capture_output=True, text=True).stdout

    rates = chosen.rates
    if not rates:
        rates = f"{folder}/rates.toml"
        run("plc-compile", "--calibrate", "-o", rates)
    given = ["--rates", "shipped"] if rates == "shipped" else ["--set", f"machine.rates={pathlib.Path(rates).resolve()}"]
    text = f"{folder}/text"
    pathlib.Path(text).write_bytes((root / "examples" / "gpt.ein").read_bytes() * 20)
    errors, predicted, measured = [], 0, 0
    for name, sizes in MODELS:
        run("plc-compile", str(root / "examples" / (name + ".ein")), *sizes, *given, "--set", "profiling=true", "-o", f"{folder}/m.plcm")
        run("plc-run", "train", f"{folder}/m.plcm", "--data", f"tok={text}", "--data", f"next={text}+1", "--steps",
            str(chosen.steps), "--holdout", "0", "--log", f"{folder}/log", "--overwrite")
        kernels = json.loads(pathlib.Path(f"{folder}/log").read_text().splitlines()[-1])["summary"]["kernels"]
        p = sum(k["predicted_ns"] * k["calls"] for k in kernels)
        m = sum(k["median_ns"] * k["calls"] for k in kernels)
        mine = [abs(k["predicted_ns"] / k["median_ns"] - 1) for k in kernels if k["median_ns"] > 5000]
        print(f"{name} {' '.join(sizes):32} step {p / m:.2f} of measured, median error of a kernel {statistics.median(mine):.1%}")
        errors += mine
        predicted += p
        measured += m
    print(f"all: {predicted / measured:.2f} of measured, median error of a kernel {statistics.median(errors):.1%}, {len(errors)} kernels")
