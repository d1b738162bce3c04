"""check_import.py NAME [--loss E]: imports the model NAME beside this file (.pt2, compressed, or .mlir), runs its rules in one and in
two stages, and compares results, loss and gradients with what PyTorch or JAX computed (NAME.npz)."""
import json
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy

here, name, extra = pathlib.Path(__file__).parent, sys.argv[1], sys.argv[2:]
data = dict(numpy.load(here / f"{name}.npz"))
scratch = pathlib.Path(tempfile.mkdtemp())
rules, weights, names = (scratch / f"{name}.{end}" for end in ("ein", "safetensors", "toml"))


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


def write(path, tensors):
    """A .safetensors file."""
    header, offset = {}, 0
    for key, value in tensors.items():
        header[key] = {"dtype": "F32", "shape": value.shape, "data_offsets": [offset, offset + value.nbytes]}
        offset += value.nbytes
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(value.tobytes() for value in tensors.values()))


options = []
if (here / f"{name}.mlir").exists():
    run("plc-compile", here / f"{name}.mlir", "--emit=ein-source", "-o", rules, "--map-out", names, *extra)
    write(weights, {key[6:]: value for key, value in data.items() if key.startswith("param:")})
    original = dict(re.findall(r'^"(.*?)" = (?:\{ from = )?"(.*?)"', names.read_text(), re.M))
    options += ["--map", names]
else:
    model = here / f"{name}.pt2"
    if not model.exists():
        model = scratch / f"{name}.pt2"
        model.write_bytes(lzma.decompress((here / f"{name}.pt2.xz").read_bytes()))
    run("plc-compile", model, "--emit=ein-source", "-o", rules, "--params", weights, *extra)
    stored = weights.read_bytes()
    original = json.loads(stored[8 : 8 + int.from_bytes(stored[:8], "little")])["__metadata__"]
header = re.search(r"^model \w+\((.*)\) -> (.*) \{", rules.read_text(), re.M)
arguments, results = ([word.split(":")[0].strip() for word in re.sub(r"\[[^]]*\]", "", part).split(",")] for part in header.groups())
wanted = {}
for key in (key for key in data if key.startswith("in:")):
    if key[3:] in arguments or "--loss" in extra:
        numpy.save(scratch / f"{key[3:]}.npy", data[key])
        options += ["--input", f"{key[3:]}=@{scratch / key[3:]}.npy"]
for i, result in enumerate(word for word in results if word != "loss"):
    wanted[result] = data[f"out:{i}"]
if "loss" in data and "loss" in results:
    wanted["loss"] = data["loss"]
    wanted |= {f"grad({path})": data[f"grad:{key}"] for path, key in original.items() if f"grad:{key}" in data}
for i, result in enumerate(wanted):
    options += ["--output", f"{result}=@{scratch}/{i}.npy"]
bits = []
calls = re.findall(r"^  .*= \w+\(.*\)( in \w+)?( })?$", rules.read_text().split("\nmodel ")[1], re.M)
for stages in (1, 2) if len(calls) > 1 else (1,):
    run("plc-run", "infer", rules, "--params", weights, "--set", f"parallelism.stages={stages}", *options)
    found = [numpy.load(scratch / f"{i}.npy") for i in range(len(wanted))]
    for (result, expected), values in zip(wanted.items(), found):
        numpy.testing.assert_allclose(values.reshape(expected.shape), expected, rtol=1e-4, atol=1e-5, err_msg=result)
    bits.append([values.tobytes() for values in found])
assert bits[0] == bits[-1], "the number of stages changes bits"
print(f"{name}: {len(wanted)} results are as they were")
