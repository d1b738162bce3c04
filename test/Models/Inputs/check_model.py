"""check_model.py MODEL.ein GOLDEN.safetensors FOLDER [train [-D NAME=SIZE ..]]: a model beside another implementation, whose results GOLDEN
keeps (golden.py): each output and the gradient of each trained parameter, in f64, within what f32 keeps of a number. `train`:
then it trains for three steps, interpreted, and compiled with one stage and with two: the same bits. With other sizes behind it
(less to compile) it starts from initial values.

GOLDEN has the model's sizes, its inputs, its outputs and grad(PARAMETER), by name; drawn.py the parameters."""
import json
import pathlib
import struct
import subprocess
import sys

from drawn import parameters, values

model, golden, folder, *then = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stderr}")


def write(path, tensors):
    header, data = {}, b""
    for name, shape, numbers in tensors:
        part = struct.pack(f"<{len(numbers)}f", *numbers)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


data = pathlib.Path(golden).read_bytes()
header = json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])
flags, inputs = (text.split() for text in header.pop("__metadata__").values())
found = list(parameters(model, flags))
weights = folder / "weights.safetensors"
write(weights, [(name, shape, values(name, shape)) for name, shape, _ in found])
expected = [name for name in header if name not in inputs]
gradients = {name for name in expected if name.startswith("grad(")}
trained = {f"grad({name})" for name, _, train in found if train}
if gradients != trained or "loss" not in expected:
    sys.exit(f"{golden} has no {sorted(trained - gradients)}, and {sorted(gradients - trained)} of no parameter")

words = ["plc-interpret", "infer", model, *flags, "--params", weights, "--set", "precision.compute=f64", "--rtol", "1e-7", "--atol", "1e-10"]
for name in inputs:
    words += ["--input", f"{name}=@{golden}:{name}"]
for name in expected:
    words += ["--expect", f"{name}=@{golden}:{name}"]
run(*words)

if then[:1] == ["train"]:
    start = [*flags, *then[1:]] if then[1:] else [*flags, "--params", weights]
    rows = [word for name in inputs for word in ("--data", f"{name}={golden}:{name}")]
    logs = []
    for log, tool, *sets in (("interpreted", "plc-interpret"), ("one", "plc-run"), ("two", "plc-run", "--set", "parallelism.stages=2")):
        logs.append(folder / log)
        run(tool, "train", model, *start, *sets, *rows, "--set", "parallelism.micro_batches=2",
            "--set", "optimizer.lr=1e-2", "--steps", 3, "--holdout", 0, "--log", logs[-1], "--overwrite")
    run(sys.executable, pathlib.Path(__file__).parents[2] / "Integration/Inputs/same_bits.py", 3, *logs)
print(f"{len(expected)} results agree")
