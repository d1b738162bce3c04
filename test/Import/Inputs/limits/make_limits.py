"""make_limits.py FOLDER: writes models that are refused, or differ from another export."""
import pathlib
import sys

import torch
import torch.nn.functional as F
from torch import nn

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from archives import folder, make, save, steps


class Sized(nn.Module):
    """A size plus a number, one of its own, or another operator."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def forward(self, x):
        length = x.shape[1]
        if self.kind == "form":
            return torch.tanh(x) if length > 5 else torch.relu(x)
        return x * (length + 1 if self.kind == "plus" else length * length)


class Refused(nn.Module):
    def forward(self, x):
        carried, _ = torch._higher_order_ops.while_loop(lambda c, i: c.sum() < 3, lambda c, i: (c + 1, i * 1), (x, x))
        return torch.linalg.inv(x) + torch.linalg.cholesky(x) + torch.linalg.inv(x * 2) + carried


class Refusals(nn.Module):
    """Operators of which other forms are supported."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 4, proj_size=2, batch_first=True)
        self.norm = nn.InstanceNorm1d(4, track_running_stats=True)
        self.rnn = nn.RNN(4, 2, batch_first=True)

    def forward(self, x, i):
        loops = torch._higher_order_ops
        parts = [
            loops.scan(lambda c, y: (c + y, c * y), torch.zeros(4), torch.ones(300, 4))[1],
            loops.while_loop(lambda n, x: n < 300, lambda n, x: (n + 1, x * 2), (torch.zeros((), dtype=torch.int64), x))[1],
            x.cummax(1).indices, self.lstm(x)[0], self.rnn(torch.ones(2, 80, 4))[0], self.norm(x), torch.native_dropout(x, 0.5, True)[1],
            x.scatter_reduce(1, i, x, "mean"), x.scatter_reduce(1, i, x, "sum", include_self=False), torch.histc(x, 3),
            torch.meshgrid(x[0, 0], x[0, 1], indexing="xy")[0], torch.diag_embed(x, 1), torch.einsum("bii->bi", x), torch.cdist(x, x, p=1),
            F.cross_entropy(x, x.softmax(1), label_smoothing=0.1), F.conv1d(x[0], torch.ones(4, 4, 1)),
        ]
        return sum(part.sum() for part in parts)


class Changing(nn.Module):
    """A buffer that is no state: it begins as several numbers."""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.arange(3.0))

    def forward(self, x):
        self.seen += x
        return x + self.seen


class Limits(nn.Module):
    """Operators that are imported, in forms that are not."""

    def forward(self, x, image, chosen):
        z, w = torch.zeros(4, 4), torch.zeros(4, 4)
        z[:, ::2] = x[:, :2]
        w.expand(2, 4, 4).add_(1)
        return (
            z, w,
            x.as_strided((3, 2), (1, 1)),
            x.slice_scatter(x[:, :2], 1, 0, 4, 2),
            x.scatter(0, chosen[:1, :2], x),
            torch.repeat_interleave(x, chosen[:, 0], 0, output_size=4),
            torch.lstm(image[0], (x[None, :1], x[None, :1]), (x.repeat(4, 1), x.repeat(4, 1)), False, 1, 0, False, False, False)[0],
            x[None][:, chosen[0]],
            torch.einsum("ij,jk", x, x),
            x.index_put((x > 0,), x[0, :2]),
            F.instance_norm(image, torch.zeros(1), torch.ones(1), use_input_stats=True),
        )


class Form(nn.Module):
    def __init__(self, form):
        super().__init__()
        self.form = form

    def forward(self, x):
        return self.form(x)


def turned(x):
    angle = torch.arange(4.0)[:, None] * 100.0 ** (-torch.arange(0, 4, 2) / 4)
    angle = torch.cat([angle, angle], -1)
    return x * angle.cos() + torch.cat([-x[..., 2:], x[..., :2]], -1) * angle.sin()


class Parameter(nn.Module):
    """Its own axis is divided in two ways."""

    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.ones(6))

    def forward(self, x, y):
        return self.p.view(2, 3) * x, y.view(6) + self.p


class Truths(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3, dtype=torch.bool))

    def forward(self, x):
        self.seen.logical_or_(x > 0)
        return x * self.seen


class Counting(nn.Module):
    """A block that counts its runs, or reads the count of another one."""

    def __init__(self, other=None):
        super().__init__()
        self.inner = nn.Linear(4, 4)
        self.other = [other or self]
        if not other:
            self.register_buffer("runs", torch.zeros(()))

    def forward(self, x):
        if self.other[0] is self:
            self.runs += 1
        return torch.relu(self.inner(x)) * self.other[0].runs


class Elsewhere(nn.Module):
    def __init__(self):
        super().__init__()
        counting = Counting()
        self.blocks = nn.ModuleList([Counting(counting), counting])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


# Forms that are refused when rules are made, and two that tests edit.
FORMS = {
    "running": lambda x: x.cumsum(1).view(1, 2, 2, 4, 4),
    "best": lambda x: (x.argmax(1), x.view(1, 2, 2, 4, 4).sum(1)),
    "normed": lambda x: (F.group_norm(x, 2, x[0, :, 0, 0], x[0, :, 0, 1]), x.view(1, 2, 2, 4, 4).sum(2)),
    "recurrent": lambda x: (torch.gru(x[0], torch.zeros(1, 4, 4), (x.view(16, 4)[:12], x.view(16, 4)[4:]), False, 1, 0, False, False, True)[0],
                            x[0].view(4, 2, 2, 4).sum(1)),
    "turned": lambda x: turned(x).view(1, 4, 2, 2, 4),
    "transposed": lambda x: F.conv_transpose2d(x, x.view(4, 1, 4, 4)[:, :, :2, :2]),
    "further": lambda x: F.max_pool2d(x, 2, return_indices=True),
    "one": lambda x: F.conv1d(x[:, :, 0, :1], x[0, :, :, :3], padding=1),
    "digits": lambda x: x.reshape(4, 16).reshape(8, 8).cumsum(0),
    "largest": lambda x: x.reshape(4, 16).reshape(8, 8).argmax(0),
}


save(folder / "refused.pt2", torch.export.export(Refused(), (torch.eye(2) * 3,)))
chosen = torch.ones(4, 4, dtype=torch.int64)
save(folder / "limits.pt2", torch.export.export(Limits(), (torch.zeros(4, 4), torch.zeros(1, 1, 4, 4), chosen)))
for name, form in FORMS.items():
    save(folder / f"limit-{name}.pt2", torch.export.export(Form(form), (torch.zeros(1, 4, 4, 4),)))
for kind in ("plus", "square", "form"):
    for end, shape in (("", (2, 4)), ("-other", (3, 6))):
        save(folder / f"sized-{kind}{end}.pt2", torch.export.export(Sized(kind), (), kwargs={"x": torch.randn(shape)}))
save(folder / "refusals.pt2", torch.export.export(Refusals().eval(), (torch.randn(2, 4, 4), torch.randint(4, (2, 4, 4)))))
save(folder / "truths.pt2", torch.export.export(Truths(), (torch.randn(3),)))
save(folder / "elsewhere.pt2", torch.export.export(Elsewhere(), (torch.randn(3, 4),)))
save(folder / "parameter.pt2", torch.export.export(Parameter(), (torch.randn(2, 3), torch.randn(3, 2))))
save(folder / "changing.pt2", torch.export.export(Changing(), (torch.randn(3),)))
