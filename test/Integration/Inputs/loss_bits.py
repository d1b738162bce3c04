"""loss_bits.py equal|differ LOG LOG.. ; vary|held LOG; near VALUE WITHIN LOG: losses of steps in logs of training, with held-out
ones where there are any. held: these are all one, also at the end."""
import json
import struct
import sys


def bits(log):
    lines = [json.loads(line) for line in open(log)]
    return [line["loss_bits"] for line in lines if "step" in line and "loss_bits" in line]


what, *rest = sys.argv[1:]
def held(log):
    return [line["holdout_loss"] for line in map(json.loads, open(log)) if "holdout_loss" in line] + \
        [line["summary"]["holdout_loss"] for line in map(json.loads, open(log)) if line.get("summary", {}).get("holdout_loss") is not None][-1:]


if what in ("equal", "differ"):
    first, *others = [bits(log) + [line["holdout_loss"] for line in map(json.loads, open(log)) if "step" in line and "holdout_loss" in line] for log in rest]
    assert first and others
    assert all((other == first) == (what == "equal") for other in others), (first, others)
elif what == "held":
    losses = held(rest[0])
    assert len(losses) > 2 and len(set(losses)) == 1, losses
elif what == "vary":
    steps = bits(rest[0])
    assert len(steps) > 2 and len(set(steps)) == len(steps), steps
else:
    value, within, steps = float(rest[0]), float(rest[1]), bits(rest[2])
    found = [struct.unpack(">f", bytes.fromhex(step.removeprefix("0x").zfill(8)))[0] for step in steps]
    assert len(set(found)) == len(found) > 2 and all(abs(loss - value) < within for loss in found), found
