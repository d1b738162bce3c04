#!/usr/bin/env python3
"""Measures held-out losses of the demo in f32, `mixed` and `half`.

usage: bench/narrow_losses.py [--steps N] [TEXT]

Trains examples/gpt.ein with examples/gpt.toml on a text (the demo's, if it has run) from the same parameters on the
same batches. Prints the last and the held-out loss of each, its ratio to f32's, the module's arena, and steps that
overflowed."""
import argparse
import json
import pathlib
import subprocess
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("text", nargs="?", default=str(root / "build/demo/manuals.txt"))
options.add_argument("--steps", type=int, default=600)
chosen = options.parse_args()

with tempfile.TemporaryDirectory() as folder:
    reference = None
    for compute in ("f32", "mixed", "half"):
        module, log = f"{folder}/m.plcm", f"{folder}/{compute}"
        subprocess.run([root / "build/bin/plc-compile", root / "examples/gpt.ein", "--strategy", root / "examples/gpt.toml", "--set",
                        f"precision.compute={compute}", "-o", module], check=True, capture_output=True)
        subprocess.run([root / "build/bin/plc-run", "train", module, "--data", f"tok={chosen.text}", "--data", f"next={chosen.text}+1", "--steps",
                        str(chosen.steps), "--log", log, "--overwrite"], check=True, capture_output=True)
        summary = [json.loads(line) for line in open(log)][-1]["summary"]
        held, ranks = summary["holdout_loss"], summary["ranks"]
        reference = reference or held
        print(f"{compute}: loss {summary['loss']:.4f}, held out {held:.4f} ({held / reference - 1:+.2%}), arenas "
              f"{sum(rank['planned_bytes'] for rank in ranks)} bytes, left out {summary.get('skipped', 0)}", flush=True)
