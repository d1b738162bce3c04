#!/usr/bin/env python3
"""Measures how long the simulator takes to play 1F1B on up to 1,024 ranks with 256 micro-batches.

usage: bench/simulator.py [--build BUILD]"""
import argparse
import pathlib
import subprocess

options = argparse.ArgumentParser()
options.add_argument("--build", default=str(pathlib.Path(__file__).resolve().parent.parent / "build"))
chosen = options.parse_args()
subprocess.run(["ninja", "-C", chosen.build, "SimulateLarge"], check=True, stdout=subprocess.DEVNULL)
for ranks, micro_batches in ((64, 64), (256, 256), (1024, 256)):
    subprocess.run([f"{chosen.build}/unit/SimulateLarge", str(ranks), str(micro_batches)], check=True)
