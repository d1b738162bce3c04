"""The parameters of a golden model: drawn by their names, so that no file has to keep them."""
import random
import re
import struct
import subprocess


def parameters(model, flags):
    """(name, shape, whether it is trained) of each parameter, as `plc-run params` lists them."""
    text = subprocess.run(["plc-run", "params", model, *flags], check=True, stdout=subprocess.PIPE, text=True).stdout
    for name, shape, kind in re.findall(r"^  (\S+) +\w+\[([0-9, ]*)\] .*  (trained|frozen)$", text, re.M):
        yield name, [int(extent) for extent in shape.split(",") if extent.strip()], kind == "trained"


def values(name, shape):
    """Numbers that f32 holds: a gain or a variance around 1, anything else around 0."""
    draw, count = random.Random(name), 1
    for extent in shape:
        count *= extent
    middle, width = (1, 0.3) if name.rsplit(".", 1)[-1] in ("g", "variance") else (0, 0.5)
    return list(struct.unpack(f"<{count}f", struct.pack(f"<{count}f", *(middle + width * draw.uniform(-1, 1) for _ in range(count)))))
