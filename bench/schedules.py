#!/usr/bin/env python3
"""schedules.py [--build BUILD] [--count N] [--brute N]: what schedule `auto` finds, beside the optimum and the bound.

Small problems (2 or 3 ranks, 2 to 4 micro-batches, with caps, residuals that B and W free apart, unequal micro-batches)
against all orders, then the gap to the bound of pipelines with costs of +-30 %, under equal and unequal memory."""
import argparse
import pathlib
import subprocess
import sys

options = argparse.ArgumentParser()
options.add_argument("--build", default=str(pathlib.Path(__file__).resolve().parent.parent / "build"))
options.add_argument("--count", type=int, default=20)
options.add_argument("--brute", type=int, default=600)
chosen = options.parse_args()
subprocess.run(["ninja", "-C", chosen.build, "ScheduleGaps"], check=True, stdout=subprocess.DEVNULL)
gaps = f"{chosen.build}/unit/ScheduleGaps"
failed = subprocess.run([gaps, "brute", str(chosen.brute)]).returncode
for mode in ("uniform", "random"):
    for stages, micro_batches in ((4, 8), (4, 16), (8, 16), (8, 32), (16, 32), (16, 64)):
        failed |= subprocess.run([gaps, mode, str(stages), str(micro_batches), str(chosen.count)]).returncode
sys.exit(failed)
