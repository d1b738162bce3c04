"""make_npy.py OUT.npy TYPE ROWS,COLS START: a .npy of START, START+1, ... (mod 251); no numpy needed."""
import struct, sys

out, kind, shape, start = sys.argv[1:5]
extents = [int(e) for e in shape.split(",")]
count = 1
for extent in extents:
    count *= extent
header = "{'descr': '<%s', 'fortran_order': False, 'shape': (%s), }" % (kind, "".join("%d, " % e for e in extents))
header += " " * (63 - (10 + len(header)) % 64) + "\n"
code = {"f4": "f", "f8": "d", "i4": "i", "i8": "q"}[kind]
values = [(int(start) + i) % 251 for i in range(count)]
with open(out, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack("<%d%s" % (count, code), *values))
