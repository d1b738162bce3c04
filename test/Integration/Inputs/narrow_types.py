"""narrow_types.py write FOLDER: files of every f16 and every bf16, and of f32 and f64 numbers that are hard to round.
narrow_types.py check FOLDER: whether results in it are those numbers, widened and rounded, in exact arithmetic."""
import math, os, random, struct, sys

command, folder = sys.argv[1:]
COUNT = 65536
FORMATS = {"f16": (10, -24, 16), "bf16": (7, -133, 128)}  # bits of fraction, exponents of the least step and the overflow


def path(name):
    return os.path.join(folder, name)


def write_npy(name, code, descr, values):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path(name), "wb") as file:
        file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{code}", *values))


def read_npy(name):
    data = open(path(name), "rb").read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    code = {b"<f2": "e", b"<f4": "f", b"<f8": "d"}[data[data.index(b"<"):][:3]]
    return list(struct.unpack(f"<{COUNT}{code}", data[start:]))


def widened(kind, bits):
    if kind == "bf16":
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    return struct.unpack("<e", struct.pack("<H", bits))[0]


def rounded(kind, x):
    fraction, least, overflow = FORMATS[kind]
    if x != x or x in (float("inf"), float("-inf")) or x == 0:
        return x
    step = max(least, math.frexp(x)[1] - 1 - fraction)  # an exponent of 2, with which numbers are scaled exactly
    steps = round(math.ldexp(abs(x), -step))  # of a float: to nearest, ties to even, exactly
    value = float("inf") if steps >= 2 ** (overflow - step) else math.ldexp(steps, step)
    return -value if x < 0 else value


def same(a, b):
    return (a != a and b != b) or struct.pack("<d", a) == struct.pack("<d", b)


def numbers(width):
    """Halves between two numbers of either type, their neighbours, and any bits."""
    draw, found = random.Random(width), []
    code, word = ("f", "I") if width == 32 else ("d", "Q")
    for kind in FORMATS:
        for _ in range(COUNT // 8):
            bits = draw.randrange(1, 0x7c00 if kind == "f16" else 0x7f80)
            middle = (widened(kind, bits - 1) + widened(kind, bits)) / 2
            near = struct.unpack("<" + word, struct.pack("<" + code, middle))[0]
            for each in (near, max(near - 1, 0), near + 1):
                found.append(struct.unpack("<" + code, struct.pack("<" + word, each))[0] * draw.choice([-1, 1]))
    while len(found) < COUNT:
        found.append(struct.unpack("<" + code, struct.pack("<" + word, draw.getrandbits(width)))[0])
    return found[:COUNT]


if command == "write":
    parts = b"".join(struct.pack("<H", bits) for bits in range(COUNT))
    header = ",".join(f'"{kind}":{{"dtype":"{kind.upper()}","shape":[{COUNT}],"data_offsets":[{at},{at + len(parts)}]}}'
                      for kind, at in (("f16", 0), ("bf16", len(parts))))
    text = ("{" + header + "}").encode()
    with open(path("all.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + parts + parts)
    write_npy("x32.npy", "f", "<f4", numbers(32))
    write_npy("x64.npy", "d", "<f8", numbers(64))
else:
    for width in (32, 64):
        given = read_npy(f"x{width}.npy")
        for kind in FORMATS:
            wide, narrow = read_npy(f"wide-{kind}-{width}.npy"), read_npy(f"narrow-{kind}-{width}.npy")
            for bits in range(COUNT):
                assert same(wide[bits], widened(kind, bits)), (width, kind, bits, wide[bits])
                assert same(narrow[bits], rounded(kind, given[bits])), (width, kind, given[bits], narrow[bits])
