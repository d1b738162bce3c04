"""edit_state.py [--params] FROM TO KEY [VALUE]: copies a checkpoint and removes or changes one string of the metadata of its state, or
of its parameters."""
import json, os, shutil, struct, sys

which = "params" if sys.argv[1] == "--params" else "state"
source, target, key, *value = sys.argv[1 + (which == "params"):]
file = f"{target}/{which}.safetensors"
shutil.copytree(source, target)
data = open(file, "rb").read()
length = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + length])
header["__metadata__"].pop("header hash", None)
if value:
    header["__metadata__"][key] = value[0]
else:
    del header["__metadata__"][key]
text = json.dumps(header).encode()
open(file, "wb").write(struct.pack("<Q", len(text)) + text + data[8 + length:])
