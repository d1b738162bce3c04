"""stored_tensors.py FOLDER: the same tensors in files of many types and orders; no numpy needed.

tok: i32[4, 3], x: f32[4, 2], mask: bool[4, 3]; w, the parameter 'embed.w': f32[7, 2]."""
import json, os, struct, sys

folder = sys.argv[1]
tok = [[(3 * i + j) % 7 for j in range(3)] for i in range(4)]
x = [[0.5 * i - 1, 0.25] for i in range(4)]
mask = [[(i + j) % 2 for j in range(3)] for i in range(4)]
w = [[(i - 3) / 4, -i / 8] for i in range(7)]
CODES = {"<i8": "q", "<i4": "i", "|i1": "b", "|u1": "B", "<i2": "h", "<u2": "H", "<u4": "I", "<f8": "d", "<f4": "f",
         "<f2": "e", "|b1": "B"}


def values(rows, columns_first):
    return [v for row in (zip(*rows) if columns_first else rows) for v in row]


def npy(name, rows, descr, columns_first=False):
    header = f"{{'descr': '{descr}', 'fortran_order': {columns_first}, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    flat = values(rows, columns_first)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(flat)}{CODES[descr]}", *flat))


def brain(value):
    return struct.pack("<f", value)[2:]  # the upper half


def safetensors(name, tensors):
    header, data = {}, b""
    for key, (dtype, rows) in tensors.items():
        flat = values(rows, False)
        pack = {"BF16": brain, "F16": lambda v: struct.pack("<e", v), "F64": lambda v: struct.pack("<d", v),
                "F32": lambda v: struct.pack("<f", v)}[dtype]
        part = b"".join(map(pack, flat))
        header[key] = {"dtype": dtype, "shape": [len(rows), len(rows[0])], "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    with open(os.path.join(folder, name), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


for code in ("i8", "i4", "i2", "u2", "u4"):
    npy(f"tok-{code}.npy", tok, "<" + code)
for code in ("i1", "u1"):
    npy(f"tok-{code}.npy", tok, "|" + code)
npy("tok-columns.npy", tok, "<i8", True)
for code in ("f8", "f4", "f2"):
    npy(f"x-{code}.npy", x, "<" + code)
npy("x-columns.npy", x, "<f4", True)
npy("x-rounded.npy", [[0.1, 0.25], *x[1:]], "<f8")
npy("mask-b1.npy", mask, "|b1")
npy("mask-i8.npy", mask, "<i8")
npy("mask-two.npy", [[0, 1, 2], *mask[1:]], "<i8")
npy("tok-large.npy", [[0, 1, 2**31], *tok[1:]], "<i8")
for dtype in ("F64", "F32", "F16", "BF16"):
    safetensors(f"w-{dtype}.safetensors", {"embed.w": (dtype, w)})
# Subnormal and largest halves, zeros of both signs.
halves = [[2**-24, -1023 * 2**-24], [65504.0, 0.0], [-0.0, 2**-14], [1 / 3, -2.5]]
safetensors("halves.safetensors", {"x": ("F16", halves)})
exact = [[struct.unpack("<e", struct.pack("<e", v))[0] for v in row] for row in halves]
npy("halves.npy", exact, "<f4")
safetensors("other.safetensors", {"other.v": ("F32", w)})
