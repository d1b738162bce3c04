#!/usr/bin/env python3
"""Measures a training step of the demo's model driven from Python beside `plc-run train`.

usage: bench/python_step.py [ROUNDS]

Needs numpy. The sides alternate. Compares the fastest step of each pair of runs and the median of all steps; both sides
meet the same noise. A step of either side begins with the cut of its batch from the text."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "python"))
os.environ["PLC_THREADS_PER_STAGE"] = "1" # beside ranks, no further workers

import numpy

import plc

rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
STEPS = 24 # of a run; the first warms caches
TEXT = root / "examples/gpt.ein"


def by_program(module, log):
    """Milliseconds of each step but the first."""
    subprocess.run([root / "build/bin/plc-run", "train", module, "--data", f"tok={TEXT}", "--data", f"next={TEXT}+1",
                    "--steps", str(STEPS), "--holdout", "0", "--log", log, "--overwrite"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return [line["ms"] for line in map(json.loads, open(log)) if "step" in line][1:]


def by_python(module):
    windows = numpy.lib.stride_tricks.sliding_window_view(numpy.frombuffer(TEXT.read_bytes(), "u1"), 129)
    draw, times = numpy.random.default_rng(0), []
    with plc.load(module) as model:
        for _ in range(STEPS):
            begin = time.perf_counter()
            batch = windows[draw.integers(0, len(windows), 8)]
            model.train_step(tok=batch[:, :-1], next=batch[:, 1:])
            times.append((time.perf_counter() - begin) * 1e3)
    return times[1:]


with tempfile.TemporaryDirectory() as name:
    module, log = pathlib.Path(name, "gpt.plcm"), pathlib.Path(name, "log.jsonl")
    plc.compile(TEXT, strategy=root / "examples/gpt.toml", output=module).close()
    sides = {"plc-run": lambda: by_program(module, log), "Python": lambda: by_python(module)}
    fastest, steps = [], {side: [] for side in sides}
    for round in range(rounds):
        pair = {side: sides[side]() for side in sorted(sides, reverse=round % 2)}
        fastest.append(min(pair["plc-run"]) / min(pair["Python"]))
        for side in sides:
            steps[side] += pair[side]
    medians = {side: statistics.median(times) for side, times in steps.items()}
    print(f"a step from Python has {statistics.median(fastest):.3f} of the speed of plc-run train (fastest of each pair of "
          f"runs, median of {rounds}; {min(fastest):.3f} to {max(fastest):.3f}), "
          f"{medians['plc-run'] / medians['Python']:.3f} by medians of {medians['plc-run']:.2f} and "
          f"{medians['Python']:.2f} ms")
