"""read_safetensors.py DIR DIR: compares the parameters of two checkpoints and lists the optimizer's state."""
import json, struct, sys


def read(file):
    data = open(file, "rb").read()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__")
    return {name: data[8 + length:][slice(*t["data_offsets"])] for name, t in header.items()}


first, second = (read(folder + "/params.safetensors") for folder in sys.argv[1:])
for name in sorted(first, reverse=True):
    print("params", name, "is the same" if first[name] == second[name] else "differs")
print("state has", *sorted(read(sys.argv[1] + "/state.safetensors")))
