"""check_running.py STEPS: trains norms.pt2 by steps of rate 0 on one batch. The running statistics become what PyTorch's formulas give,
from those of the archive on; other parameters stay. Outside of training, the norm takes them."""
import json
import pathlib
import subprocess
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))
from plc._weights import read_metadata

steps = int(sys.argv[1])
here = pathlib.Path(__file__).parent / "operators"
x = numpy.load(here / "norms.npz")["in:x"][0]
numpy.save("x.npy", x)
numpy.save("target.npy", numpy.zeros((5, 4), "f4"))


def run(*command):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


def read(path):
    """The tensors of a file, which are f32."""
    data = pathlib.Path(path).read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    header.pop("__metadata__", None)
    return {name: numpy.frombuffer(data[begin + each["data_offsets"][0] : begin + each["data_offsets"][1]], "f4").reshape(each["shape"]) for name, each in header.items()}


run("plc-compile", here / "norms.pt2", "--loss", "squared_error(output, target)", "--emit=ein-source", "-o", "norms.ein", "--params", "norms.safetensors")
run("plc-run", "train", "norms.ein", "--params", "norms.safetensors", "--data", "x=x.npy", "--data", "target=target.npy", "--holdout", "0",
    "--set", "optimizer.lr=0", "--steps", steps, "--save", "run")
original = read_metadata("norms.safetensors")
before, after = ({original[path]: values for path, values in read(file).items()} for file in ("norms.safetensors", f"run/step-{steps}/params.safetensors"))
h = x @ before["fc.weight"].T + before["fc.bias"]
rest = 0.9**steps
wanted = before | {f"norm.running_{name}": rest * before[f"norm.running_{name}"] + (1 - rest) * value for name, value in {"mean": h.mean(0), "var": h.var(0, ddof=1)}.items()}
assert wanted.keys() == after.keys(), (wanted.keys(), after.keys())
for name, values in wanted.items():
    numpy.testing.assert_allclose(after[name], values, rtol=1e-5, atol=1e-6, err_msg=name)
run("plc-run", "infer", "norms.ein", "--params", f"run/step-{steps}", "--input", "x=@x.npy", "--input", "target=@target.npy", "--output", "y=@y.npy")
y = (h - after["norm.running_mean"]) / numpy.sqrt(after["norm.running_var"] + 1e-5) * after["norm.weight"] + after["norm.bias"]
numpy.testing.assert_allclose(numpy.load("y.npy"), y, rtol=1e-4, atol=1e-5)
print("the statistics are PyTorch's")
