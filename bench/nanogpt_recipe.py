#!/usr/bin/env python3
"""nanogpt_recipe.py TEXT: the recipe that nanoGPT publishes for Shakespeare by characters on a CPU, by strategy keys alone.
Held-out loss of `examples/gpt.ein` at its sizes, after its 2,000 steps; its README has 1.88. TEXT is the tiny Shakespeare of char-rnn, 1,115,394
bytes; the last tenth is held out, as nanoGPT does. Options: --seeds N, --steps N."""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("PLC_BIN", ROOT / "build" / "bin"))
RECIPE = """
[optimizer]
lr = 1e-3
beta2 = 0.99
weight_decay = 0.1
decay_matrices_only = true
clip_norm = 1.0
schedule = { kind = "cosine", warmup = 100, total = %d, floor = 0.1 }
"""


def run(*arguments):
    done = subprocess.run([str(each) for each in arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=2000)
    options = parser.parse_args()
    text = options.text.read_bytes()
    cut = len(text) * 9 // 10
    losses = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "train").write_bytes(text[:cut]), (folder / "held").write_bytes(text[cut:])
        (folder / "s.toml").write_text(RECIPE % options.steps)
        run(BIN / "plc-compile", ROOT / "examples" / "gpt.ein", *(f"-D{each}" for each in ("B=12", "S=64", "D=128", "H=4", "L=4")),
            "--strategy", folder / "s.toml", "-o", folder / "m.plcm")
        for seed in range(options.seeds):
            out = run(BIN / "plc-run", "train", folder / "m.plcm", "--data", f"tok={folder}/train", "--data", f"next={folder}/train+1",
                      "--eval-data", f"tok={folder}/held", "--eval-data", f"next={folder}/held+1", "--seed", seed, "--steps", options.steps)
            losses.append(float(re.search(r"held-out loss ([\d.]+)", out)[1]))
            print(f"seed {seed}: held-out loss {losses[-1]}", flush=True)
    print(f"median {statistics.median(losses)}; nanoGPT's README has 1.88")


if __name__ == "__main__":
    main()
