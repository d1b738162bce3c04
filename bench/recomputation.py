#!/usr/bin/env python3
"""Measures how far recomputation under a budget is from the optimum and from its lower bound.

usage: bench/recomputation.py [PART[:COUNT]..]   (needs `tools/build unit-tests`; some minutes for all parts)

First the planner alone, then the trade-off of models. Fails if an exact answer is not the oracle's, if a bound is
above it, or if a chain is not Revolve's. PARTS"""
import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent
PARTS = {
    "small": "COUNT (300) random graphs of at most 12 calls, all budgets, beside an oracle",
    "chains": "the exact search on uniform chains beside Revolve",
    "networks": "VGG-, U-Net-, ResNet-, MobileNet-like networks and transformers of 52 to 344 calls; to 80, beside the least",
    "floors": "the least bytes of a plan of the same beside their working sets",
    "large": "a transformer of 2,500 calls",
    "layered": "a layered graph of 1,000 calls",
    "curves": "models, as `--plan-remat-curve` prints them",
}
MODELS = {
    "gpt.ein, two layers": ["examples/gpt.ein", "-DL=2"],
    "gpt.ein, eight layers": ["examples/gpt.ein", "-DL=8"],
    "unet-text.ein": ["examples/unet-text.ein"],
}


def run(part, count):
    """The exit code of a part."""
    if part == "curves":
        for name, model in MODELS.items():
            print(name, flush=True)
            subprocess.run([ROOT / "build/bin/plc-compile", ROOT / model[0], *model[1:], "--rates", "shipped", "--plan-remat-curve"],
                           check=True)
        return 0
    counts = [count or "300"] if part == "small" else []
    return subprocess.run([ROOT / "build/unit/RetentionBench", part, *counts]).returncode


def main():
    text = "".join(f"\n  {name:10} {what}" for name, what in PARTS.items())
    parser = argparse.ArgumentParser(description=__doc__.replace("PARTS", "") + text,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=list(PARTS))
    failed = 0
    for each in parser.parse_args().parts:
        part, _, count = each.partition(":")
        if part not in PARTS:
            parser.error(f"no part '{part}'; parts are {', '.join(PARTS)}")
        failed |= run(part, count)
    sys.exit(failed)


if __name__ == "__main__":
    main()
