"""break_tensors.py GOOD.npy: variants of a good .npy and of good parameters, each wrong in one way."""
import json, struct, sys

good = open(sys.argv[1], "rb").read()


def write(name, data, suffix=".npy"):
    with open(name + suffix, "wb") as file:
        file.write(data)


def edit(name, old, new):
    """Replaces in the header, whose length stays."""
    header = good[:128].replace(old, new)
    header = header.rstrip(b" \n")
    write(name, header + b" " * (127 - len(header)) + b"\n" + good[128:])


write("magic", b"NUMPY" + good)
write("version", good[:6] + b"\x09" + good[7:])
write("header", good[:8] + b"\xff\xff" + good[10:])
write("short", good[:-4])
edit("fortran", b"False", b"Maybe")
edit("type", b"<i4", b">i4")
edit("narrow", b"<i4", b"<u2")
edit("key", b"shape", b"shope")
edit("extent", b"(4, 8", b"(-4, 8")
edit("large", b"(4, 8", b"(4294967296, 4294967296")

edit("after", b"), }", b"), } x")
edit("lacks", b", 'shape': (4, 8, )", b"")
edit("brace", b"{'descr'", b"('descr'")
edit("string", b"'shape': (4, 8, ), }", b"'shape")
truth = b"{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }\n"
write("bool", good[:8] + struct.pack("<H", len(truth)) + truth + bytes([0, 1, 2, 1]))
axes = b"{'descr': '<i4', 'fortran_order': False, 'shape': (" + b"1," * 65 + b"), }\n"
write("axes", good[:8] + struct.pack("<H", len(axes)) + axes + bytes(4))
write("ends", good[:6] + b"\x02\x00" + b"ab")

w = {"dtype": "F32", "shape": [256], "data_offsets": [0, 1024]}
c = {"dtype": "F32", "shape": [1], "data_offsets": [1024, 1028]}


def parameters(name, w=w, c=c, text=None):
    tensors = {"embed.w": w, "head.c": c}
    header = text or json.dumps({k: v for k, v in tensors.items() if v}).encode()
    size = 1028 if c else 1024
    write(name, struct.pack("<Q", len(header)) + header + bytes(size), ".safetensors")


parameters("good")
parameters("metadata", text=b'{"__metadata__": 3}')
parameters("text", text=b'{"__metadata__": {"a": 3}}')
parameters("list", text=b"[1, 2]")
parameters("nolist", w={"dtype": "F32", "shape": [256]})
parameters("number", w={**w, "shape": [-256]})
parameters("huge", w={**w, "shape": [2**40, 2**40]})
parameters("after", text=json.dumps({"embed.w": w}).encode())
write("empty", b"", ".safetensors")
write("length", struct.pack("<Q", 10**6) + b"{}", ".safetensors")
parameters("json", text=b'{"a": ')
parameters("outside", w={**w, "data_offsets": [512, 1536]})
parameters("size", w={**w, "shape": [257]})
parameters("gap", c={**c, "data_offsets": [1020, 1024]})
parameters("dtype", w={**w, "dtype": "F8"})
parameters("nodtype", w={k: v for k, v in w.items() if k != "dtype"})
parameters("foreign-outside", w={**w, "dtype": "F8", "data_offsets": [512, 1536]})
parameters("lacks", c=None)
parameters("other", c={**c, "shape": [1, 1]})
