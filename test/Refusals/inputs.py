"""What the .py cases build their broken inputs from."""
import json
import os
import struct
import subprocess
import sys

# The model that most cases use; its inputs are x f32[8, 3] and t f32[8], its parameter linear.w f32[3].
LINE = """dim B = 8, I = 3
batch B
layer linear(x[B, I]) -> y[B] {
  param w[I] ~ normal(0.5)
  y[b] = x[b, i] * w[i]
}
model line(x[B, I], t[B]) -> loss, y[B] {
  y = linear(x)
  loss = mean[b]((y[b] - t[b]) * (y[b] - t[b]))
}
"""
made = {}  # what is compiled once: a module, IR of each phase


def write(name, content):
    with open(name, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)


def module():
    """The bytes of LINE, compiled."""
    if "line" not in made:
        write("line.ein", LINE)
        subprocess.run(["plc-compile", "line.ein", "-o", "line.plcm"], check=True)
        with open("line.plcm", "rb") as file:
            made["line"] = file.read()
        os.remove("line.plcm")
    return made["line"]


def npy(shape=(8, 3), dtype="<f4", header=None, data=None, version=b"\1\0"):
    """The bytes of a .npy file of zeros."""
    header = header or f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header = header.encode() if isinstance(header, str) else header
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    count = 1
    for extent in shape:
        count *= extent
    data = bytes(count * int(dtype[2:])) if data is None else data
    return b"\x93NUMPY" + version + struct.pack("<H", len(header)) + header + data


def safetensors(tensors=None, data=bytes(12), header=None):
    """The bytes of a .safetensors file; by default of LINE's parameter."""
    tensors = tensors or {"linear.w": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}}
    header = json.dumps(tensors).encode() if header is None else header
    return struct.pack("<Q", len(header)) + header + data


# Two layers, for plans of two stages.
TWO = """dim B = 8, I = 3
batch B
layer scale(x[B, I]) -> y[B, I] {
  param w[I] ~ normal(0.5)
  y[b, i] = x[b, i] * w[i]
}
model two(x[B, I]) -> loss {
  repeat 2 { x = scale(x) }
  loss = mean[b](sum[i](x[b, i] * x[b, i]))
}
"""


def ir(phase):
    """TWO after a phase, planned in two stages and two micro-batches."""
    if phase not in made:
        write("two.ein", TWO)
        command = ["plc-compile", "two.ein", f"--emit={phase}", "--set", "parallelism.stages=2"]
        command += ["--set", "parallelism.micro_batches=2"]
        made[phase] = subprocess.run(command, check=True, capture_output=True).stdout
    write("two.ein", TWO)  # which errors show
    return made[phase]
