"""same_logs.py JSONL CSV FOLDER: the steps of a log have the same values in all three formats."""
import csv
import json
import os
import subprocess
import sys

steps = [json.loads(line) for line in open(sys.argv[1]) if line.startswith('{"step"')]
rows = list(csv.DictReader(open(sys.argv[2])))
reader = os.path.join(os.path.dirname(__file__), "read_events.py")
events = subprocess.check_output([sys.executable, reader, sys.argv[3]], text=True).splitlines()
events = [line.split() for line in events if not line.startswith("restart")]
assert len(steps) == len(rows) == len(events) > 0, (len(steps), len(rows), len(events))
for step, row, (number, *scalars) in zip(steps, rows, events):
    named = {name: value for name, value in step.items() if name != "micro_batch_losses"}
    row = {name: value for name, value in row.items() if value}
    assert row.pop("loss_bits") == named.pop("loss_bits")
    assert {name: float(value) for name, value in row.items()} == named, (step, row)
    assert int(number) == named.pop("step")
    found = dict(scalar.split("=") for scalar in scalars)
    assert list(found) == list(named), (found, named)
    assert all(abs(float(found[name]) - value) <= 1e-6 * abs(value) for name, value in named.items()), (found, named)
