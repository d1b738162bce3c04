"""same_bits.py STEPS LOG LOG...: fails unless the logs have STEPS steps each, one numerics key, and the same bits of
every loss."""
import json
import sys


def bits(path):
    steps = [line for line in map(json.loads, open(path)) if "step" in line]
    return [(s["step"], s["loss_bits"], s["micro_batch_losses"], s["grad_norm"]) for s in steps]


def key(path):
    return json.loads(open(path).readline())["plan"]["numerics_key"]


count, first, *others = sys.argv[1:]
expected = bits(first)
if len(expected) != int(count):
    sys.exit(f"{first}: {len(expected)} steps but {count} expected")
if len({loss for _, loss, _, _ in expected}) < int(count) // 2:
    sys.exit(f"{first}: the loss does not move")
for path in others:
    if key(path) != key(first):
        sys.exit(f"{path}: numerics key {key(path)} but {first} has {key(first)}")
    found = bits(path)
    for a, b in zip(expected, found):
        if a != b:
            sys.exit(f"{path}: step {b[0]} has {b[1:]} but {first} has {a[1:]}")
    if len(found) != len(expected):
        sys.exit(f"{path}: {len(found)} steps but {first} has {len(expected)}")
print(f"{len(others) + 1} logs of {count} steps agree bit for bit")
