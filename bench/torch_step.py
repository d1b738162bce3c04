"""Module of convolutions.py, mixture.py and recurrent.py: a step beside PyTorch, alternating rounds."""
import argparse
import json
import pathlib
import re
import statistics
import struct
import subprocess
import tempfile
import time

import numpy
import torch

root = pathlib.Path(__file__).resolve().parent.parent


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def read_tensors(file):
    data = file.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = {name: info for name, info in json.loads(data[8:8 + size]).items() if name != "__metadata__"}
    return {name: torch.frombuffer(bytearray(data[8 + size:][slice(*info["data_offsets"])]), dtype=torch.float32)
            .view(info["shape"]).clone() for name, info in header.items()}


def compile_model(text, folder, sets, name="step"):
    """A module in the folder."""
    (folder / f"{name}.ein").write_text(text)
    words = [word for each in sets for word in ("--set", each)]
    run(root / "build/bin/plc-compile", folder / f"{name}.ein", *words, "-o", folder / f"{name}.plcm")
    return folder / f"{name}.plcm"


class Step:
    """Forward, backward and an update by 0 of a model of one input, x.npy in the folder."""

    def __init__(self, text, folder, threads, sets=()):
        self.folder = folder
        self.module = compile_model(text, folder, [f"machine.threads_per_stage={threads}", "optimizer.kind=sgd",
                                                   "optimizer.lr=0", *sets])
        self.data = ["--data", f"x={folder / 'x.npy'}"]

    def weights_and_loss(self):
        log = self.folder / "log.jsonl"
        run(root / "build/bin/plc-run", "train", self.module, *self.data, "--steps", 1, "--holdout", 0, "--log", log, "--overwrite",
            "--save", self.folder / "saved")
        loss = next(line["loss"] for line in map(json.loads, log.read_text().splitlines()) if "step" in line)
        return read_tensors(self.folder / "saved/step-1/params.safetensors"), loss

    def ms(self, repeats):
        out = run(root / "build/bin/plc-run", "bench", self.module, *self.data, "--warmup", 2, "--repeats", repeats)
        return float(re.search(r"step +([0-9.]+) ms", out)[1])


def torch_ms(loss, parameters, repeats):
    """The same of a function that gives the loss of these parameters."""
    optimizer = torch.optim.SGD(parameters, lr=0)
    times = []
    for _ in range(repeats + 2):
        begin = time.perf_counter()
        loss().backward()
        optimizer.step()
        optimizer.zero_grad()
        times.append((time.perf_counter() - begin) * 1000)
    return statistics.median(times[2:])


def compare(name, ours, loss, theirs, parameters, rounds, repeats):
    """Prints both sides' medians and the ratio of each round; `loss` is ours, `theirs` a function."""
    apart = abs(loss / theirs().item() - 1)
    times = [(ours.ms(repeats), torch_ms(theirs, parameters, repeats)) for _ in range(rounds)]
    ratios = sorted(b / a for a, b in times)
    print(f"{name}: plc {statistics.median(a for a, _ in times):.2f} ms, PyTorch {statistics.median(b for _, b in times):.2f} ms "
          f"a step; plc is {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) times as fast; losses apart {apart:.1e}",
          flush=True)


def compare_sizes(doc, sizes, describe):
    """The command line of a bench of named sizes. `describe(name)` gives a model, the shape of its input x, and a
    function of the model's weights and x that gives PyTorch's side and its parameters."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", default=[], help=f"of {', '.join(sizes)}")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=6)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a key of plc's strategy")
    arguments = parser.parse_args()
    for name in arguments.sizes or sizes:
        text, shape, theirs_of = describe(name)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            x = numpy.random.default_rng(0).standard_normal(shape, dtype=numpy.float32)
            numpy.save(folder / "x.npy", x)
            ours = Step(text, folder, 1, arguments.set)
            weights, loss = ours.weights_and_loss()
            theirs, parameters = theirs_of(weights, x)
            compare(name, ours, loss, theirs.loss, parameters, arguments.rounds, arguments.repeats)
