"""averages.py EMA START FOLDER: fails unless each FOLDER/step-N of an f64 run has the averages that follow from its parameters,
a = EMA * a + (1 - EMA) * w from the parameters of the file START on, exactly. Frozen parameters are as they are."""
import json
import pathlib
import struct
import sys


def read(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    found = {}
    for name, tensor in header.items():
        begin, end = tensor["data_offsets"]
        assert tensor["dtype"] == "F64", tensor
        found[name] = struct.unpack(f"<{(end - begin) // 8}d", data[8 + size + begin:8 + size + end])
    return found


ema, frozen = float(sys.argv[1]), set(sys.argv[4:])
average = read(pathlib.Path(sys.argv[2]))
steps = sorted(pathlib.Path(sys.argv[3]).glob("step-*"), key=lambda path: int(path.name[5:]))
moved = 0
for step in steps:
    values, found = read(step / "params.safetensors"), read(step / "ema.safetensors")
    assert list(values) == list(found), (step, list(values), list(found))
    for name, value in values.items():
        if name not in frozen:
            average[name] = tuple(ema * a + (1 - ema) * w for a, w in zip(average[name], value))
        if average[name] != found[name]:
            sys.exit(f"{step}: the average of '{name}' is another one")
        moved += average[name] != value
print(f"{len(steps)} steps have their averages, {moved} of them other values than the parameters")
