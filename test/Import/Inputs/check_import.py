"""check_import.py NAME [--loss E] [--runs N]: imports NAME in a folder here (.pt2, compressed, or .mlir), runs its rules in one and in
two stages and by the interpreter, and compares results, loss and gradients with what PyTorch or JAX computed (NAME.npz). All runs have the
same bits. `other_` results are of sizes that were not exported. --runs: inputs and results have an axis of runs in front, between which
state changes."""
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))
from plc._weights import read_metadata, write_state_dict

name, extra = sys.argv[1], sys.argv[2:]
here = next(pathlib.Path(__file__).parent.rglob(f"{name}.npz")).parent
repeated = extra if "--runs" in extra else []
extra = [] if repeated else extra
data = dict(numpy.load(here / f"{name}.npz"))
scratch = pathlib.Path(tempfile.mkdtemp())
rules, weights, names = (scratch / f"{name}.{end}" for end in ("ein", "safetensors", "toml"))


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


options = []
if (here / f"{name}.mlir").exists():
    run("plc-compile", here / f"{name}.mlir", "--emit=ein-source", "-o", rules, "--map-out", names, *extra)
    write_state_dict(weights, {key[6:]: value for key, value in data.items() if key.startswith("param:")})
    original = dict(re.findall(r'^"(.*?)" = (?:\{ from = )?"(.*?)"', names.read_text(), re.M))
    options += ["--map", names]
else:
    model = here / f"{name}.pt2"
    if not model.exists():
        model = scratch / f"{name}.pt2"
        model.write_bytes(lzma.decompress((here / f"{name}.pt2.xz").read_bytes()))
    run("plc-compile", model, "--emit=ein-source", "-o", rules, "--params", weights, *extra)
    original = read_metadata(weights)
header = re.search(r"^model \w+\((.*)\) -> (.*) \{", rules.read_text(), re.M)
arguments, results = ([word.split(":")[0].strip() for word in re.sub(r"\[[^]]*\]", "", part).split(",")] for part in header.groups())
results = [word for word in results if word != "loss" or "loss" not in data]


def given(prefix):
    chosen = []
    for key in (key.removeprefix(prefix) for key in data if key.startswith(prefix)):
        if key in arguments or "--loss" in extra:
            numpy.save(scratch / f"{key}.npy", data[prefix + key])
            chosen += ["--input", f"{key}=@{scratch / key}.npy"]
    return chosen


def check(wanted, *command):
    """The bits of results, which are those wanted."""
    outputs = [word for i, result in enumerate(wanted) for word in ("--output", f"{result}=@{scratch}/{i}.npy")]
    run(command[0], "infer", rules, "--params", weights, *command[1:], *outputs)
    found = [numpy.load(scratch / f"{i}.npy") for i in range(len(wanted))]
    for (result, expected), values in zip(wanted.items(), found):
        numpy.testing.assert_allclose(values.reshape(expected.shape), expected, rtol=1e-4, atol=1e-5, err_msg=result)
    return [values.tobytes() for values in found]


wanted = {result: data[f"out:{i}"] for i, result in enumerate(results)}
if "loss" in data:
    wanted["loss"] = data["loss"]
wanted |= {f"grad({path})": data[f"grad:{key}"] for path, key in original.items() if f"grad:{key}" in data}
options += given("in:")
calls = re.findall(r"^  .*= \w+\(.*\)( in \w+)?( })?$", rules.read_text().split("\nmodel ")[1], re.M)
stages = (1, 2) if len(calls) > 1 and not repeated else (1,)
bits = [check(wanted, "plc-run", *repeated, "--set", f"parallelism.stages={number}", *options) for number in stages]
if not repeated and "--map" not in options:  # which the interpreter does not read
    bits.append(check(wanted, "plc-interpret", *options))
assert all(each == bits[0] for each in bits), "the interpreter or the number of stages changes bits"
if other := {result: data[f"other_out:{i}"] for i, result in enumerate(results) if f"other_out:{i}" in data}:
    shapes = re.findall(r"(\w+)(?:: i32)?\[([^]]*)\]", header[1])
    sizes = {f"{size}={extent}" for key, names in shapes for size, extent in zip(names.split(", "), data["other_in:" + key].shape) if size.isidentifier()}
    check(other, "plc-run", *(word for size in sizes for word in ("-D", size)), *given("other_in:"))
print(f"{name}: {len(wanted)} results are as they were")
