"""split_rows.py FILE.npy COUNT PREFIX: the first COUNT rows into PREFIX-1.npy, the others into PREFIX-2.npy."""
import ast
import struct
import sys

file, count, prefix = sys.argv[1], int(sys.argv[2]), sys.argv[3]
data = open(file, "rb").read()
end = 10 + struct.unpack("<H", data[8:10])[0]
header = ast.literal_eval(data[10:end].decode())
rows, *rest = header["shape"]
width = (len(data) - end) // rows
for name, begin, stop in (1, 0, count), (2, count, rows):
    text = repr(header | {"shape": (stop - begin, *rest)})
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    with open(f"{prefix}-{name}.npy", "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data[end + begin * width : end + stop * width])
