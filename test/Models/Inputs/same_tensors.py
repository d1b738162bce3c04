"""same_tensors.py FOLDER FILE [NAME..]: the .safetensors files of a folder, and one that was exported, have the same tensors: names,
types, shapes and bytes. But the export lacks those whose names end in a NAME."""
import json
import pathlib
import struct
import sys


def tensors(file):
    data = file.read_bytes()
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:begin])
    assert header.pop("__metadata__")["format"] == "pt"
    return {name: (each["dtype"], each["shape"], data[begin:][slice(*each["data_offsets"])]) for name, each in header.items()}


folder, exported, *lacking = sys.argv[1:]
wanted = {}
for file in pathlib.Path(folder).glob("*.safetensors"):
    wanted |= tensors(file)
found = tensors(pathlib.Path(exported))
for name in lacking:
    assert any(each.endswith(name) for each in wanted), f"{folder} has no {name}"
wanted = {name: each for name, each in wanted.items() if not name.endswith(tuple(lacking))}
wrong = [name for name in sorted(wanted.keys() | found.keys()) if wanted.get(name) != found.get(name)]
assert not wrong, [(name, wanted.get(name, "lacks")[:2], found.get(name, "lacks")[:2]) for name in wrong]
