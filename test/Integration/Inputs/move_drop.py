"""move_drop.py earlier|later IN.plcm OUT.plcm RANK: makes one lifetime of a rank of entry `train` wrong: a place is dropped
before the last run that names it, or some runs too late, so that the arena is fullest then."""
import json, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Runtime", "Inputs"))
import seal_module

with open(sys.argv[2], "rb") as file:
    data = file.read()[:-seal_module.SIZE]
manifest, start, length = seal_module.manifest(data)
entry = manifest["entries"]["train"]
rank = entry["ranks"][int(sys.argv[4])]
actions = rank["actions"]


def places(run):
    return [run["at"][base] + offset for base, offset in rank["tasks"][run["task"]]["slots"]]


def names(action, drop):
    inside = lambda offset: drop["at"] <= offset < drop["at"] + drop["bytes"]
    return any(map(inside, places(action))) if action["op"] == "run" else "at" in action and inside(action["at"])


def last(drop, uses):
    """The action before the drop that names its place last."""
    return max((i for i in range(drop) if uses(actions[i], actions[drop])), default=None)


def writes(action, drop):
    if action["op"] != "run":
        return False
    for call in rank["tasks"][action["task"]]["calls"]:
        for result in manifest["kernels"][entry["kernels"][call["kernel"]]]["results"]:
            slot = call["operands"][result["operand"]]
            if slot >= 0 and places(action)[slot] == drop["at"]:
                return True
    return False


def lives():
    """(last write, drop) of what is dropped."""
    found = {}
    for k, action in enumerate(actions):
        if action["op"] == "drop" and last(k, writes) is not None:
            found[k] = last(k, writes)
    return found


def later():
    """A drop, and a run that it can be moved behind so that the arena is fullest there."""
    begins, runs = lives(), [i for i, action in enumerate(actions) if action["op"] == "run"]
    size = {i: sum(actions[k]["bytes"] for k, begin in begins.items() if begin < i < k) for i in runs}
    for k in begins:
        for run in (i for i in runs if i > k):
            if any(names(a, actions[k]) for a in actions[k + 1:run + 1]):
                break
            if size[run] + actions[k]["bytes"] > max(size.values()):
                return k, run
    sys.exit("no drop can be moved so")


if sys.argv[1] == "earlier":
    k, use = next((k, last(k, names)) for k, begin in lives().items() if begin < last(k, names))
    actions.insert(use, actions.pop(k))
else:
    k, run = later()
    actions.insert(run, actions.pop(k))

text = json.dumps(manifest, separators=(",", ":"), ensure_ascii=False).encode("latin-1")
assert len(text) <= length, (len(text), length)
with open(sys.argv[3], "wb") as file:
    file.write(data[:start] + text.ljust(length) + data[start + length:])
seal_module.seal(sys.argv[3])
