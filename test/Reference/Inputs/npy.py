"""npy.py FILE TYPE SHAPE VALUE...: writes a .npy tensor. SHAPE is like 2x3 (- for a number); VALUEs repeat as VALUE*N."""
import struct
import sys

file, type_, shape, *words = sys.argv[1:]
values = []
for word in words:
    value, _, count = word.partition("*")
    values += [float.fromhex(value) if "0x" in value else float(value)] * int(count or 1)
extents = [] if shape == "-" else [int(extent) for extent in shape.split("x")]
count = 1
for extent in extents:
    count *= extent
assert count == len(values), f"{len(values)} values for {count} elements"
code, descr = {"f32": ("f", "<f4"), "f64": ("d", "<f8"), "i32": ("i", "<i4"), "i64": ("q", "<i8"), "u8": ("B", "|u1"), "bool": ("B", "|b1")}[type_]
if type_[0] in "iub":
    values = [int(value) for value in values]
tuple_ = "(" + "".join(f"{extent}, " for extent in extents) + ")"
header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple_}, }}"
header += " " * (-(len(header) + 11) % 64) + "\n"
with open(file, "wb") as out:
    out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    out.write(struct.pack(f"<{count}{code}", *values))
