"""write_safetensors.py FILE NAME TYPE NUMBER,NUMBER..  ..: writes tensors of rank 1."""
import json
import struct
import sys

codes = {"U8": "B", "BOOL": "B", "I32": "i", "I64": "q"}
header, data = {}, b""
words = sys.argv[2:]
for name, type_, numbers in zip(words[::3], words[1::3], words[2::3]):
    values = [int(number) for number in numbers.split(",")]
    packed = struct.pack(f"<{len(values)}{codes[type_]}", *values)
    header[name] = {"dtype": type_, "shape": [len(values)], "data_offsets": [len(data), len(data) + len(packed)]}
    data += packed
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
with open(sys.argv[1], "wb") as out:
    out.write(struct.pack("<Q", len(text)) + text + data)
