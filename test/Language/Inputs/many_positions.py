"""many_positions.py X K: rows of 931 f32 with NaN, infinities and ties, and of 320 i32 with the least and the largest."""
import random
import struct
import sys


def save(file, descr, code, rows, columns, values):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(file, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        out.write(struct.pack(f"<{len(values)}{code}", *values))


draws = random.Random(1)
nan, inf = float("nan"), float("inf")
mixed = [draws.choice([nan, inf, -inf, 0.0, -0.0, 1.5, draws.gauss(0, 1), draws.gauss(0, 1)]) for _ in range(931)]
# Fewer numbers than positions that are asked for: the others are -inf, as what fills the last group is.
sparse = [draws.gauss(0, 1) if i % 20 == 7 else -inf for i in range(931)]
save(sys.argv[1], "<f4", "f", 3, 931, mixed + sparse + [float(i // 3 % 50) for i in range(931)])
least, most = -2**31, 2**31 - 1
small = [draws.choice([least, most, draws.randrange(9)]) for _ in range(320)]
save(sys.argv[2], "<i4", "i", 3, 320, small + [least] * 320 + [draws.randrange(200) for _ in range(320)])
