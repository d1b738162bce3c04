"""near.py WITHIN A B: fails unless two losses differ by no more. Each is a number, what `eval` printed, or a log's last held-out one."""
import json
import sys


def loss(word):
    try:
        return float(word)
    except ValueError:
        lines = open(word).read().splitlines()
    if lines[0].startswith("{"):
        return [json.loads(line)["holdout_loss"] for line in lines if '"holdout_loss"' in line and '"step"' in line][-1]
    return next(float(line.split()[-1]) for line in lines if line.startswith("held-out loss "))


within, a, b = float(sys.argv[1]), loss(sys.argv[2]), loss(sys.argv[3])
assert abs(a - b) <= within, (a, b)
