"""check_import.py NAME [--loss E]: imports NAME.pt2 beside this file, runs its rules in one and in two stages, and compares results,
loss and gradients with what PyTorch computed (NAME.npz)."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy

here, name, extra = pathlib.Path(__file__).parent, sys.argv[1], sys.argv[2:]
data = dict(numpy.load(here / f"{name}.npz"))
scratch = pathlib.Path(tempfile.mkdtemp())
rules, weights = scratch / f"{name}.ein", scratch / f"{name}.safetensors"


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


run("plc-compile", here / f"{name}.pt2", "--emit=ein-source", "-o", rules, "--params", weights, *extra)
header = re.search(r"^model \w+\((.*)\) -> (.*) \{", rules.read_text(), re.M)
arguments, results = ([word.split(":")[0].strip() for word in re.sub(r"\[[^]]*\]", "", part).split(",")] for part in header.groups())
stored = weights.read_bytes()
original = json.loads(stored[8 : 8 + int.from_bytes(stored[:8], "little")])["__metadata__"]
wanted, options = {}, []
for key in (key for key in data if key.startswith("in:")):
    if key[3:] in arguments or "--loss" in extra:
        numpy.save(scratch / f"{key[3:]}.npy", data[key])
        options += ["--input", f"{key[3:]}=@{scratch / key[3:]}.npy"]
for i, result in enumerate(word for word in results if word != "loss"):
    wanted[result] = data[f"out:{i}"]
if "--loss" in extra:
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
print(f"{name}: {len(wanted)} results are PyTorch's")
