#!/usr/bin/env python3
"""schedules.py [--build BUILD] [--count N] [--brute N] [--shapes PxM,..]: what schedule `auto` finds, beside the optimum and the bound.

Small problems (2 or 3 ranks, 2 to 4 micro-batches, with caps, residuals that B and W free apart, unequal micro-batches)
against all orders, then the gap to the bound of pipelines of P ranks and M micro-batches with costs of +-30 %, under equal and
unequal memory; small ones are searched on for a proof. All of it takes some minutes."""
import argparse
import pathlib
import subprocess
import sys

options = argparse.ArgumentParser()
options.add_argument("--build", default=str(pathlib.Path(__file__).resolve().parent.parent / "build"))
options.add_argument("--count", type=int, default=20)
options.add_argument("--brute", type=int, default=600)
options.add_argument("--shapes", default="4x8,4x16,8x16,8x32,16x32,16x64")
chosen = options.parse_args()
subprocess.run(["ninja", "-C", chosen.build, "ScheduleGaps"], check=True, stdout=subprocess.DEVNULL)
gaps = f"{chosen.build}/unit/ScheduleGaps"
failed = subprocess.run([gaps, "brute", str(chosen.brute)]).returncode
for mode in ("uniform", "random"):
    for shape in chosen.shapes.split(","):
        failed |= subprocess.run([gaps, mode, *shape.split("x"), str(chosen.count)]).returncode
for shape in ("3x8", "4x8"):
    failed |= subprocess.run([gaps, "proofs", *shape.split("x"), str(chosen.count)]).returncode
sys.exit(failed)
