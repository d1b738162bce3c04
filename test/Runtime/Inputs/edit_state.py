"""edit_state.py FROM TO KEY [VALUE]: copies a checkpoint and removes or changes one string of the state's metadata."""
import json, os, shutil, struct, sys

source, target, key = sys.argv[1:4]
os.makedirs(target)
shutil.copy(source + "/params.safetensors", target)
data = open(source + "/state.safetensors", "rb").read()
length = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + length])
del header["__metadata__"][key], header["__metadata__"]["header hash"]
if len(sys.argv) > 4:
    header["__metadata__"][key] = sys.argv[4]
text = json.dumps(header).encode()
open(target + "/state.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + data[8 + length:])
