"""loss_bits.py equal|differ LOG LOG.. ; vary LOG; near VALUE WITHIN LOG: losses of steps in logs of training."""
import json
import struct
import sys


def bits(log):
    lines = [json.loads(line) for line in open(log)]
    return [line["loss_bits"] for line in lines if "step" in line and "loss_bits" in line]


what, *rest = sys.argv[1:]
if what in ("equal", "differ"):
    first, *others = [bits(log) for log in rest]
    assert first and others
    assert all((other == first) == (what == "equal") for other in others), (first, others)
elif what == "vary":
    steps = bits(rest[0])
    assert len(steps) > 2 and len(set(steps)) == len(steps), steps
else:
    value, within, steps = float(rest[0]), float(rest[1]), bits(rest[2])
    found = [struct.unpack(">f", bytes.fromhex(step.removeprefix("0x").zfill(8)))[0] for step in steps]
    assert len(set(found)) == len(found) > 2 and all(abs(loss - value) < within for loss in found), found
