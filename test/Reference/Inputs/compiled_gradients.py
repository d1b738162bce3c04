"""compiled_gradients.py MODEL.ein FOLDER f32|f64: compiled outputs and gradients of random inputs have the interpreter's bits.

Inputs are described by plc-interpret's own messages. Prints the number of tensors compared."""
import pathlib
import random
import re
import struct
import subprocess
import sys

model, folder, real = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)
settings = ["--set", f"precision.compute={real}"]


def run(*command, good=True):
    result = subprocess.run(command, capture_output=True, text=True)
    if good and result.returncode:
        sys.exit(f"{' '.join(command)}\n{result.stderr}")
    return result


def write_npy(file, type_, shape):
    """Normal numbers, or indices that are good for every table of the models here."""
    count = 1
    for extent in shape:
        count *= extent
    draws = {"i32": lambda: random.randrange(5), "bool": lambda: random.randrange(2)}
    values = [draws.get(type_, lambda: random.gauss(0, 1))() for _ in range(count)]
    code, descr = {"f32": ("f", "<f4"), "f64": ("d", "<f8"), "i32": ("i", "<i4"), "bool": ("B", "|b1")}[type_]
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    file.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{count}{code}", *values))


random.seed(1)
inputs = []
while True:
    missing = re.search(r"input '(\w+)' \((\w+)\[([\d, ]*)\]\) is not given",
                        run("plc-interpret", "infer", model, *settings, *inputs, good=False).stderr)
    if not missing:
        break
    name, type_, shape = missing.groups()
    write_npy(folder / f"{name}.npy", type_, [int(extent) for extent in shape.split(", ")])
    inputs += ["--input", f"{name}=@{folder / name}.npy"]

report = run("plc-interpret", "check-gradients", model).stdout
names = ["loss"] + [f"grad({line.split()[0]})" for line in report.splitlines() if ": error" in line]
outputs = [f"{name}=@{folder / name}.npy" for name in names]
run("plc-compile", model, "-o", str(folder / "module.plcm"), *settings)
run("plc-interpret", "infer", model, *settings, *inputs, *(word for out in outputs for word in ("--output", out)))
run("plc-run", "infer", str(folder / "module.plcm"), *inputs,
    *(word for out in outputs for word in ("--expect", out)))
print(len(names), "equal")
