#!/usr/bin/env python3
"""Measures the CPU time to compile 48 layers of `examples/gpt.ein` as a multiple of that of 6.

usage: bench/compile_time.py [ROUNDS]

Runs with and without recomputation. Checks that both modules have the same kernels and bytes of code. The sides
alternate."""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parent.parent
WAYS = {"all kept": [], "recomputed": ["--set", "checkpoint.policy=uniform"]}


def seconds(layers, way, module):
    before = os.times()
    subprocess.run([ROOT / "build/bin/plc-compile", ROOT / "examples/gpt.ein", f"-DL={layers}", "-o", module,
                    "--set", "parallelism.micro_batches=4", *WAYS[way]], check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        for way in WAYS:
            ratios = []
            modules = {layers: f"{folder}/{layers}.plcm" for layers in (6, 48)}
            for _ in range(rounds):
                few = seconds(6, way, modules[6])
                ratios.append(seconds(48, way, modules[48]) / few)
            print(f"{way}: 48 layers compile in {statistics.median(ratios):.2f} times the CPU time of 6 "
                  f"({min(ratios):.2f} to {max(ratios):.2f} over {rounds} rounds)")
            subprocess.run([sys.executable, ROOT / "test/Integration/Inputs/module_size.py", *modules.values()], check=True)


main()
