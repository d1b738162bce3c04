#!/usr/bin/env python3
"""Measures forward passes of BERT, ViT, ResNet-50 and MiniLM beside PyTorch and ONNX Runtime.

usage: bench/forward.py [NAME ..] [--threads N] [--rounds N] [--repeats N] [--set KEY=VALUE]
       (pip install torch==2.13.0 numpy; for MiniLM onnx onnxruntime)

bert-base, vit-b16 and resnet50 run beside PyTorch (eager, inference mode); minilm (six layers of 384) beside ONNX
Runtime, whose graph is exported from the same PyTorch model. A name that ends with `-8` has a batch of eight.
Results must agree up to rounding. Rounds alternate. Prints medians and the ratio of each round."""
import argparse
import json
import pathlib
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import warnings

import numpy
import torch

here = pathlib.Path(__file__).resolve().parent
root = here.parent
sys.path.insert(0, str(here))
from forward_torch import Bert, ResNet, Vit  # noqa: E402

BERT = {"D": 768, "H": 12, "L": 12, "V": 30522}
MINILM = {"D": 384, "H": 12, "L": 6, "V": 30522}
# example, dims, output
MODELS = {
    "bert-base": ("bert", {**BERT, "B": 1, "S": 128}, "hidden"),
    "bert-base-8": ("bert", {**BERT, "B": 8, "S": 128}, "hidden"),
    "vit-b16": ("vit", {"B": 1}, "logits"),
    "vit-b16-8": ("vit", {"B": 8}, "logits"),
    "resnet50": ("resnet50", {"M": 1, "G": 1, "KEPT": 1}, "logits"),
    "resnet50-8": ("resnet50", {"M": 8, "G": 1, "KEPT": 1}, "logits"),
    "minilm": ("bert", {**MINILM, "B": 1, "S": 128}, "hidden"),
    "minilm-8": ("bert", {**MINILM, "B": 8, "S": 64}, "hidden"),
}


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stderr}")
    return done.stdout


def draw_weights(model, flags, path):
    """Weights for each parameter that the example has, in a file and as tensors."""
    text, tensors, header, data = run(root / "build/bin/plc-run", "params", model, *flags), {}, {}, []
    torch.manual_seed(0)
    offset = 0
    for name, shape in re.findall(r"^  (\S+) +f32\[([0-9, ]*)\]", text, re.M):
        shape, last = [int(extent) for extent in shape.split(",")], name.rsplit(".", 1)[-1]
        fan = torch.tensor(shape[1:]).prod().item() if len(shape) == 4 and "conv" in name else 2500
        tensors[name] = torch.ones(shape) if last in ("g", "variance") else torch.randn(shape) * fan**-0.5
        part = tensors[name].numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, offset + len(part)]}
        offset += len(part)
        data.append(part)
    head = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + b"".join(data))
    return tensors


def inputs_of(example, sizes):
    draw = numpy.random.default_rng(0)
    if example == "bert":
        shape = (sizes["B"], sizes["S"])
        return {"tok": draw.integers(0, sizes["V"], shape), "segment": draw.integers(0, 2, shape), "mask": numpy.ones(shape, numpy.int64)}
    shape = (sizes["B"],) if example == "vit" else (sizes["M"], sizes["G"])
    return {"image": draw.standard_normal((*shape, 3, 224, 224), numpy.float32), "class": draw.integers(0, 1000, shape)}


class Plc:
    def __init__(self, example, sizes, output, folder, arguments):
        self.model = root / f"examples/{example}.ein"
        self.flags = [f"-D{name}={size}" for name, size in sizes.items()]
        self.weights = draw_weights(self.model, self.flags, folder / "weights.safetensors")
        self.module, self.folder, self.output = folder / "m.plcm", folder, output
        self.inputs = inputs_of(example, sizes)
        for name, values in self.inputs.items():
            numpy.save(folder / f"{name}.npy", values.astype(numpy.int32) if values.dtype == numpy.int64 else values)
        sets = ["preset=inference", f"machine.threads_per_stage={arguments.threads}", *arguments.set]
        run(root / "build/bin/plc-compile", self.model, *self.flags, *[word for text in sets for word in ("--set", text)], "-o", self.module)

    def result(self):
        run(root / "build/bin/plc-run", "infer", self.module, "--params", self.folder / "weights.safetensors",
            *[f"--input={name}=@{self.folder / name}.npy" for name in self.inputs], f"--output={self.output}=@{self.folder / 'y.npy'}")
        return numpy.load(self.folder / "y.npy")

    def milliseconds(self, repeats):
        text = run(root / "build/bin/plc-run", "bench", self.module, *[f"--data={name}={self.folder / name}.npy" for name in self.inputs],
                   "--warmup", 2, "--repeats", repeats)
        return float(re.search(r"^\w+ +([0-9.]+) ms median", text, re.M)[1])


class Torch:
    def __init__(self, example, sizes, weights, inputs):
        heads = {"L": 12, "H": 12} | sizes
        self.inputs = [torch.from_numpy(values) for name, values in inputs.items() if name != "class"]
        if example == "resnet50":
            self.model, self.inputs = ResNet(weights, (3, 4, 6, 3)), [self.inputs[0].flatten(0, 1)]
        else:
            self.model = (Bert if example == "bert" else Vit)(weights, heads["L"], heads["H"])
        self.model.eval()

    def result(self):
        with torch.inference_mode():
            y = self.model(*self.inputs)
        return (y[0] if isinstance(y, tuple) else y).numpy()

    def milliseconds(self, repeats):
        return timed(self.result, repeats)


class OnnxRuntime:
    def __init__(self, model, inputs, folder, threads):
        import onnxruntime
        names = list(inputs)
        warnings.simplefilter("ignore")  # the exporter that needs no further package is told to be old
        torch.onnx.export(model.model, tuple(model.inputs), folder / "m.onnx", input_names=names, output_names=["hidden", "pooled"],
                          dynamo=False, opset_version=17)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        self.session = onnxruntime.InferenceSession(folder / "m.onnx", options, providers=["CPUExecutionProvider"])
        self.inputs = inputs

    def result(self):
        return self.session.run(["hidden"], self.inputs)[0]

    def milliseconds(self, repeats):
        return timed(self.result, repeats)


def timed(function, repeats):
    times = []
    for _ in range(repeats + 2):
        begin = time.perf_counter()
        function()
        times.append((time.perf_counter() - begin) * 1000)
    return statistics.median(times[2:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(MODELS)}")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a key of plc's strategy")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    for name in arguments.names or MODELS:
        example, sizes, output = MODELS[name]
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            ours = Plc(example, sizes, output, folder, arguments)
            theirs = Torch(example, sizes, ours.weights, ours.inputs)
            expected, found = theirs.result(), ours.result()
            other = "PyTorch"
            if name.startswith("minilm"):
                theirs, other = OnnxRuntime(theirs, ours.inputs, folder, arguments.threads), "ONNX Runtime"
                expected = theirs.result()
            apart = abs(found.reshape(expected.shape) - expected).max() / abs(expected).max()
            rounds = [(ours.milliseconds(arguments.repeats), theirs.milliseconds(arguments.repeats)) for _ in range(arguments.rounds)]
        ratios = sorted(b / a for a, b in rounds)
        print(f"{name}, {arguments.threads} threads: plc {statistics.median(a for a, _ in rounds):.1f} ms, {other} "
              f"{statistics.median(b for _, b in rounds):.1f} ms; plc is {statistics.median(ratios):.2f} ({ratios[0]:.2f} to "
              f"{ratios[-1]:.2f}) times as fast; results apart {apart:.1e}", flush=True)


if __name__ == "__main__":
    main()
