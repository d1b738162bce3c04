"""make.py FOLDER: writes the archives that tests of the readers use, by PyTorch 2.13. Tests themselves need no PyTorch.

Paths of this machine in stack traces are shortened, and what no reader looks at is left out.
"""
import json
import pathlib
import sys

import torch
from torch import nn

HERE = pathlib.Path(__file__).resolve()


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        return x + self.fc(x)


class Small(nn.Module):
    """Tied and strided parameters, buffers of all kinds, a constant, a list of modules, a mapping as result."""

    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(3, 2)
        self.h = nn.ModuleList([Block(), Block()])
        self.head = nn.Linear(2, 3, bias=False)
        self.head.weight = self.emb.weight
        self.turned = nn.Parameter(torch.arange(6.0).reshape(2, 3).t()[1:])
        self.register_buffer("scale", torch.tensor([1.0, 2.0], dtype=torch.bfloat16))
        self.register_buffer("shown", torch.tensor([True, False]), persistent=False)
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, tok, weight=2.0):
        self.count.add_(1)
        x = self.emb(tok) * self.scale + torch.tensor([1.0, -2.0])
        for block in self.h:
            x = block(x)
        x = torch.where(self.shown, x @ self.turned, float("-inf"))
        first, rest = x.split([1, 1], -1)
        return {"logits": self.head(x), "more": (first.sum(), weight)}


class Loops(nn.Module):
    """Loops, an unused result, holes in a list of indices, a type that only PyTorch has, sizes that are symbols."""

    def forward(self, x):
        carried, products = torch._higher_order_ops.scan(lambda c, y: (c + y, c * y), torch.zeros(2), x)
        _, x = torch._higher_order_ops.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * x), (torch.zeros((), dtype=torch.int64), x))
        best, _ = x.topk(1)
        wide = torch.zeros(x.shape[0] * 2).to(torch.complex64)
        return carried, products, best, x[:, None, [0, 1]], wide.abs(), x.shape[0], None


def shorten(text):
    return text.replace(str(HERE.parent), "models").replace(str(pathlib.Path(torch.__file__).parent.parent), "site-packages")


def save(path, program):
    """By PyTorch's own writer of members, so that the archive has its form."""
    torch.export.save(program, path)
    read = torch._C.PyTorchFileReader(str(path))
    members = {name: read.get_record(name) for name in read.get_all_records() if "sample_inputs" not in name and not name.startswith(".data")}
    write = torch._C.PyTorchFileWriter(str(path))
    for name, data in members.items():
        if name.endswith(".json"):
            text = json.dumps(json.loads(shorten(data.decode())), separators=(",", ":"))
            data = text.encode()
        write.write_record(name, data, len(data))
    write.write_end_of_file()


folder = pathlib.Path(sys.argv[1])
torch.manual_seed(0)
small = Small()
with torch.no_grad():  # numbers that a test can state
    for name, parameter in small.named_parameters():
        if name != "turned":
            parameter.copy_(torch.arange(parameter.numel()).reshape(parameter.shape) / 4)
save(folder / "small.pt2", torch.export.export(small, (torch.zeros(2, 3, dtype=torch.int64),)))
batch = torch.export.Dim("batch", min=2)
save(folder / "loops.pt2", torch.export.export(Loops(), (torch.zeros(2, 2),), dynamic_shapes=({0: batch},)))
with torch._subclasses.FakeTensorMode():
    save(folder / "fake.pt2", torch.export.export(nn.Linear(2, 2), (torch.zeros(2, 2),)))
