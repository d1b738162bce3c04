"""Writes small models as archives, with inputs, results and gradients as PyTorch 2.13 computes them (.npz), to the folder of the command
line. The scripts that make tests' inputs use it."""
import json
import lzma
import pathlib
import sys

import numpy
import torch
import torch.nn.functional as F
import transformers.integrations.moe  # registers the product by groups

folder = pathlib.Path(sys.argv[1])
torch.manual_seed(0)


def save(path, program):
    """Without what no reader looks at; paths of this machine are shortened."""
    torch.export.save(program, path)
    read = torch._C.PyTorchFileReader(str(path))
    members = {name: read.get_record(name) for name in read.get_all_records() if "sample_inputs" not in name and not name.startswith(".data")}
    write = torch._C.PyTorchFileWriter(str(path))
    here = str(pathlib.Path(__file__).resolve().parent)
    for name, data in members.items():
        if name.endswith(".json"):
            text = data.decode().replace(here, "models").replace(str(pathlib.Path(torch.__file__).parent.parent), "site-packages")
            data = json.dumps(json.loads(text), separators=(",", ":")).encode()
        write.write_record(name, data, len(data))
    write.write_end_of_file()


def pack(path):
    path.with_suffix(".pt2.xz").write_bytes(lzma.compress(path.read_bytes()))
    path.unlink()


def numbers(values):
    return values.detach().numpy().astype("i4") if not values.is_floating_point() else values.detach().numpy()


def leaves(results):
    """The tensors of results, in order."""
    if isinstance(results, torch.Tensor):
        return [results]
    return [leaf for each in (results.values() if isinstance(results, dict) else results) for leaf in leaves(each)]


def steps(name, model, runs):
    """Runs one after another, between which buffers change: results have an axis of them in front."""
    save(folder / f"{name}.pt2", torch.export.export(model, (), kwargs=runs[0]))
    outputs = [leaves(model(**inputs)) for inputs in runs]
    data = {f"in:{key}": numpy.stack([numbers(inputs[key]) for inputs in runs]) for key in runs[0]}
    numpy.savez_compressed(folder / f"{name}.npz", **data | {f"out:{i}": numpy.stack([numbers(v) for v in each]) for i, each in enumerate(zip(*outputs))})


def make(name, model, inputs, label=None, other=None, training=False, packs=False):
    """`other`: inputs of other sizes; `packs`: of coarse weights, compressed."""
    with torch.no_grad():  # no bias is 0 and no gain 1, so that a forgotten one shows
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.1 * torch.randn(parameter.shape))
        for key, buffer in model.named_buffers():
            if "running" in key:
                buffer.add_(0.2 * torch.rand(buffer.shape))
        if packs:
            for parameter in model.parameters():
                parameter.copy_((parameter * 32).round() / 32)
    model.train(training)
    with torch.no_grad():
        program = torch.export.export(model, (), kwargs=inputs)
    save(folder / f"{name}.pt2", program)
    if packs:
        pack(folder / f"{name}.pt2")
    model.eval()
    results = leaves(model(**inputs))
    data = {f"in:{key}": numbers(value) for key, value in inputs.items() if key != "unused"} | {f"out:{i}": numbers(value) for i, value in enumerate(results)}
    if label is not None:
        loss = F.cross_entropy(results[0].reshape(-1, results[0].shape[-1]), label.reshape(-1))
        loss.backward()
        data |= {"in:label": numbers(label), "loss": numbers(loss)}
        data |= {f"grad:{key}": numbers(value.grad) for key, value in model.named_parameters()}
    elif results[0].dim() == 0:
        results[0].backward()
        data |= {f"grad:{key}": numbers(value.grad) for key, value in model.named_parameters()}
    if other:  # a batch and a length that were not exported
        data |= {f"other_in:{key}": numbers(value) for key, value in other.items()}
        data |= {f"other_out:{i}": numbers(value) for i, value in enumerate(leaves(model(**other)))}
    numpy.savez_compressed(folder / f"{name}.npz", **data)
