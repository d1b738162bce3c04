"""Checks the held-out losses of logs: python both_losses.py BEFORE PLAIN AVERAGED LOG..

BEFORE and AVERAGED are what `eval --ema` prints of the averages of steps 2 and 4, PLAIN what `eval` does of the parameters of step 4.
"""
import json
import sys

before, plain, averaged = (float(open(file).readline().split()[-1]) for file in sys.argv[1:4])
for log in sys.argv[4:]:
    lines = [json.loads(line) for line in open(log)]
    steps, summary = {line["step"]: line for line in lines if "step" in line}, lines[-1]["summary"]
    for found in steps[4], summary:
        assert (found["holdout_loss"], found["ema_holdout_loss"]) == (plain, averaged), (log, found)
    assert 2 not in steps or steps[2]["ema_holdout_loss"] == before, (log, before, steps[2])
    assert "ema_holdout_loss" not in steps.get(3, {}) and plain != averaged
