"""moved.py A B: the names of tensors that differ between two files of f32, one in a line."""
import json
import pathlib
import struct
import sys


def tensors(path):
    data = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    return {name: data[8 + size:][slice(*entry["data_offsets"])] for name, entry in header.items() if name != "__metadata__"}


before, after = map(tensors, sys.argv[1:])
print("\n".join(name for name in sorted(before) if before[name] != after[name]))
