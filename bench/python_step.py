#!/usr/bin/env python3
"""Measures a training step of the demo's model driven from Python beside `plc-run train`.

usage: bench/python_step.py [ROUNDS]

Needs numpy. Both sides train all the time, half a second each in turn: plc-run is stopped by a signal while Python steps.
Compares the fastest step of each pair of turns and the median of all steps; both sides meet the same noise. A step of
either side begins with the cut of its batch from the text."""
import json
import os
import pathlib
import signal
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

rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
TURN = 0.5 # seconds
TEXT = root / "examples/gpt.ein"
draw = numpy.random.default_rng(0)
windows = numpy.lib.stride_tricks.sliding_window_view(numpy.frombuffer(TEXT.read_bytes(), "u1"), 129)


def by_python(model):
    """Milliseconds of the steps of a turn, but the first, which warms caches."""
    times, end = [], time.perf_counter() + TURN
    while time.perf_counter() < end or len(times) < 2:
        begin = time.perf_counter()
        batch = windows[draw.integers(0, len(windows), 8)]
        model.train_step(tok=batch[:, :-1], next=batch[:, 1:])
        times.append((time.perf_counter() - begin) * 1e3)
    return times[1:]


def logged(log):
    lines = log.read_text().splitlines(keepends=True)
    return [json.loads(line)["ms"] for line in lines if line.startswith('{"step"') and line.endswith("\n")]


def by_program(process, log):
    """Those of plc-run, but the one in which it was stopped."""
    before = len(logged(log))
    process.send_signal(signal.SIGCONT)
    while len(logged(log)) < before + 3:
        time.sleep(TURN)
    process.send_signal(signal.SIGSTOP)
    return logged(log)[before + 1 :]


with tempfile.TemporaryDirectory() as name:
    module, log = pathlib.Path(name, "gpt.plcm"), pathlib.Path(name, "log.jsonl")
    model = plc.compile(TEXT, strategy=root / "examples/gpt.toml", output=module)
    process = subprocess.Popen([root / "build/bin/plc-run", "train", module, "--data", f"tok={TEXT}", "--data",
                                f"next={TEXT}+1", "--steps", "1000000", "--holdout", "0", "--log", log],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not log.exists() or not logged(log):
        time.sleep(TURN)
    process.send_signal(signal.SIGSTOP)
    pairs = [(by_program(process, log), by_python(model)) for _ in range(rounds)]
    process.kill()
    process.wait()

fastest = [min(program) / min(python) for program, python in pairs]
program, python = (statistics.median(step for pair in pairs for step in pair[side]) for side in (0, 1))
print(f"a step from Python has {statistics.median(fastest):.3f} of the speed of plc-run train (fastest of each pair of turns, "
      f"median of {rounds}; {min(fastest):.3f} to {max(fastest):.3f}), {program / python:.3f} by medians of {program:.2f} "
      f"and {python:.2f} ms")
