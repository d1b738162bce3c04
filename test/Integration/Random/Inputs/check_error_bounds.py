"""Interprets the bodies of random programs in f32 and f64 and checks both against derived bounds
(test/Reference/ErrorBoundCheck.cpp). The programs hold nothing in 16 bits: what rounds there is no rounding of f32.

usage: check_error_bounds.py FIRST LAST --folder FOLDER [--tool FILE]"""
import argparse
import pathlib
import re
import subprocess
import sys

from random_program import Program

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("first", type=int)
parser.add_argument("last", type=int)
parser.add_argument("--folder", type=pathlib.Path, required=True)
parser.add_argument("--tool", default="error-bound-check")
options = parser.parse_args()
good = bounded = unbounded = 0
for seed in range(options.first, options.last):
    model, program = options.folder / f"{seed}.ein", options.folder / f"{seed}.mlir"
    model.write_text(Program(seed, narrow=False).text())
    subprocess.run(["plc-compile", model, "--emit=numerics", "-o", program], check=True)
    result = subprocess.run([options.tool, program], capture_output=True, text=True)
    counts = re.search(r"(\d+) numbers bounded, (\d+) not; (\d+) outside", result.stdout)
    good += result.returncode == 0
    if result.returncode or not counts:
        print(f"seed {seed}: {result.stdout}{result.stderr}")
        continue
    bounded, unbounded = bounded + int(counts[1]), unbounded + int(counts[2])
count = options.last - options.first
print(f"{good} of {count} programs within their bounds, {100 * bounded // max(1, bounded + unbounded)} of 100 numbers bounded")
sys.exit(good != count)
