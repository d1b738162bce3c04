"""rows.py FILE.npy SIZES...: writes an f32 tensor of these sizes with simple values, without NumPy."""
import math
import struct
import sys

path, sizes = sys.argv[1], [int(size) for size in sys.argv[2:]]
shape = "(" + "".join(f"{size}, " for size in sizes) + ")"
header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}"
header += " " * (63 - (10 + len(header)) % 64) + "\n"
values = [math.sin(1 + 0.7 * i) for i in range(math.prod(sizes))]
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack(f"<{len(values)}f", *values))
