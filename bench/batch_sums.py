#!/usr/bin/env python3
"""Measures what one sum over the batch costs, beside another build.

usage: bench/batch_sums.py OTHER [ROUNDS]

OTHER is a folder of another build's tools, for example one that sums each micro-batch from 0. Each round compares
the fastest of ten training steps of both builds, alternating, on one thread, in 1 and 4 micro-batches. The models'
gradients are chains (few tokens), whole blocks (256 tokens), and blocks that begin anew (100 tokens)."""
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
sides = {"this": root / "build/bin", "other": pathlib.Path(sys.argv[1])}
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
MODELS = {
    "gpt, 8 x 128 tokens of 256": ["gpt", "B=8", "S=128", "D=256", "H=4", "L=4"],
    "gpt, 8 x 256 tokens of 256": ["gpt", "B=8", "S=256", "D=256", "H=4", "L=4"],
    "gpt, 64 x 100 tokens of 128": ["gpt", "B=64", "S=100", "D=128", "H=4", "L=2"],
    "vit, 32 x 65 tokens of 192": ["vit", "B=32", "N=64", "P=8", "L=2", "D=192", "H=3", "V=10"],
    "unet-text, 64 x 16": ["unet-text", "B=64", "S=16", "V=256", "D=64"],
}


def milliseconds(side, module):
    text = subprocess.run([sides[side] / "plc-run", "bench", module, "--warmup", "2", "--repeats", "10"], check=True,
                          capture_output=True, text=True).stdout
    return float(re.search(r"ms median, ([0-9.]+) to", text).group(1))


with tempfile.TemporaryDirectory() as name:
    for model, (file, *sizes) in MODELS.items():
        for count in (1, 4):
            modules = {}
            for side, tools in sides.items():
                modules[side] = pathlib.Path(name) / f"{side}.plcm"
                subprocess.run([tools / "plc-compile", root / f"examples/{file}.ein", *[word for size in sizes for word in ("-D", size)],
                                "--set", f"parallelism.micro_batches={count}", "--set", "machine.threads_per_stage=1", "-o",
                                modules[side]], check=True, capture_output=True)
            ratios, times = [], []
            for i in range(rounds):
                row = {side: milliseconds(side, modules[side]) for side in (sorted(sides) if i % 2 else sorted(sides)[::-1])}
                ratios.append(row["this"] / row["other"])
                times.append(row["this"])
            print(f"{model}, {count} micro-batch{'es' if count > 1 else ''}: {statistics.median(times):.1f} ms, "
                  f"{statistics.median(ratios):.3f} times the other's (median of {rounds}; {min(ratios):.3f} to {max(ratios):.3f})",
                  flush=True)
