"""make_models.py FOLDER: writes small models as archives, with inputs, results and gradients as PyTorch 2.13 computes them (.npz)."""
import json
import lzma
import math
import pathlib
import sys

import numpy
import torch
import torch.nn.functional as F
import transformers.integrations.moe  # registers the product by groups
from torch import nn


class Cnn(nn.Module):
    """Convolutions with norms, a pool, a shortcut, a mean of the image."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1, bias=False), nn.BatchNorm2d(4), nn.ReLU())
        self.conv = nn.Conv2d(4, 4, 3, padding=1)
        self.fc = nn.Linear(4, 5)

    def forward(self, image):
        x = F.max_pool2d(self.stem(image), 2)
        return self.fc(F.adaptive_avg_pool2d(F.relu(x + self.conv(x)), 1).flatten(1))


class Bottleneck(nn.Module):
    """A block of ResNet-50, as torchvision has it."""

    def __init__(self, inputs, width, stride, downsample):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = nn.Sequential(nn.Conv2d(inputs, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width)) if downsample else None

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn3(self.conv3(self.relu(self.bn2(self.conv2(out)))))
        out += x if self.downsample is None else self.downsample(x)
        return self.relu(out)


class Resnet(nn.Module):
    """ResNet-50 of few channels."""

    def __init__(self, base=2, counts=(3, 4, 6, 3), classes=5):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, base, 7, 2, 3, bias=False), nn.BatchNorm2d(base)
        self.relu, self.maxpool = nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)
        channels, stages = base, []
        for i, count in enumerate(counts):
            blocks = []
            for k in range(count):
                blocks.append(Bottleneck(channels, base << i, 2 if i and not k else 1, not k))
                channels = 4 * base << i
            stages.append(nn.Sequential(*blocks))
        self.layer1, self.layer2, self.layer3, self.layer4 = stages
        self.avgpool, self.fc = nn.AdaptiveAvgPool2d((1, 1)), nn.Linear(channels, classes)

    def forward(self, image):
        x = self.maxpool(self.relu(self.bn1(self.conv1(image))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


class Normed(nn.Module):
    """A convolution by channel and one by point, whose result is read in another order of axes."""

    def __init__(self):
        super().__init__()
        self.deep, self.norm1 = nn.Conv2d(4, 4, 3, 2, groups=4, bias=False), nn.BatchNorm2d(4)
        self.point, self.norm2, self.fc = nn.Conv2d(4, 6, 1, bias=False), nn.BatchNorm2d(6), nn.Linear(6, 5)

    def forward(self, image):
        return self.fc(self.norm2(self.point(F.relu6(self.norm1(self.deep(F.pad(image, (1, 1, 1, 1))))))).permute(0, 2, 3, 1))


class Steps(nn.Module):
    """Loops over time: an LSTM in reverse order that gives its last output, a GRU from zeros with a network behind it that gives all."""

    def __init__(self):
        super().__init__()
        self.lstm, self.gru, self.rnn = nn.LSTMCell(5, 4), nn.GRUCell(5, 4), nn.RNNCell(4, 4)

    def forward(self, x, h):
        last, cell = h, torch.zeros(x.shape[0], 4)
        state, outputs = torch.zeros(x.shape[0], 4), []
        for t in range(x.shape[1]):
            last, cell = self.lstm(x[:, -1 - t], (last, cell))
        for t in range(x.shape[1]):
            state = self.gru(x[:, t], state)
            h = self.rnn(state, h)
            outputs.append(h)
        return last, torch.stack(outputs, 1)


class Stacked(nn.Module):
    """A loop over time that reads what another one gave at each step."""

    def __init__(self):
        super().__init__()
        self.low, self.high = nn.GRUCell(5, 4), nn.GRUCell(4, 6)

    def forward(self, x):
        low, high = torch.zeros(x.shape[0], 4), torch.zeros(x.shape[0], 6)
        given, outputs = [], []
        for t in range(x.shape[1]):
            low = self.low(x[:, t], low)
            given.append(low)
        for t in range(x.shape[1]):
            high = self.high(given[t], high)
            outputs.append(high)
        return torch.stack(outputs, 1)


class Contrast(nn.Module):
    """Each sample against each other one."""

    def forward(self, text):
        text = torch.tanh(text)
        return text @ text.t()


class Sequences(nn.Module):
    """Time in front of the samples, and one mask for all."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x, mask):
        return torch.cumsum(self.fc(x), 0) * mask


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


class Block(nn.Module):
    def __init__(self, features, heads):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.LayerNorm(features), nn.LayerNorm(features)
        self.qkv, self.proj = nn.Linear(features, 3 * features), nn.Linear(features, features)
        self.fc1, self.fc2 = nn.Linear(features, 4 * features), nn.Linear(4 * features, features)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        a = q @ k.transpose(-1, -2) * (d // self.heads) ** -0.5
        a = a.masked_fill(~torch.tril(torch.ones(t, t, dtype=torch.bool)), -math.inf).softmax(-1)
        x = x + self.proj((a @ v).transpose(1, 2).reshape(b, t, d))
        return x + self.fc2(F.gelu(self.fc1(self.ln2(x))))


class Gpt(nn.Module):
    """A decoder with fused queries, keys and values, learned positions and tied weights."""

    def __init__(self, vocabulary=11, features=8, heads=2, blocks=2):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, features), nn.Embedding(7, features)
        self.blocks = nn.ModuleList(Block(features, heads) for _ in range(blocks))
        self.ln, self.head = nn.LayerNorm(features), nn.Linear(features, vocabulary, bias=False)
        self.head.weight = self.wte.weight

    def forward(self, tok):
        x = self.wte(tok) + self.wpe(torch.arange(tok.shape[1]))
        for block in self.blocks:
            x = block(x)
        return {"logits": self.head(self.ln(x))}


class RopeLayer(nn.Module):
    """Grouped queries, rotary positions, a mixture of experts."""

    def __init__(self, d=12, heads=4, groups=2, k=6, experts=3, f=10):
        super().__init__()
        self.heads, self.groups, self.k = heads, groups, k
        self.norm, self.norm2 = nn.RMSNorm(d), nn.RMSNorm(d)
        self.q_proj, self.o_proj = nn.Linear(d, heads * k, bias=False), nn.Linear(heads * k, d, bias=False)
        self.k_proj, self.v_proj = nn.Linear(d, groups * k, bias=False), nn.Linear(d, groups * k, bias=False)
        self.gate = nn.Linear(d, experts, bias=False)
        self.up, self.down = nn.Parameter(torch.randn(experts, f, d)), nn.Parameter(torch.randn(experts, d, f))

    def turned(self, x, cos, sin):
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat((-b, a), -1) * sin

    def forward(self, x, cos, sin):
        b, s, _ = x.shape
        n = self.norm(x)
        q = self.turned(self.q_proj(n).view(b, s, self.heads, self.k).transpose(1, 2), cos, sin)
        k = self.turned(self.k_proj(n).view(b, s, self.groups, self.k).transpose(1, 2), cos, sin)
        v = self.v_proj(n).view(b, s, self.groups, self.k).transpose(1, 2)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + self.o_proj(a.transpose(1, 2).reshape(b, s, -1))
        n = self.norm2(x)
        best, chosen = self.gate(n).softmax(-1).topk(2, -1)
        h = F.silu((self.up[chosen] @ n[:, :, None, :, None]).squeeze(-1))
        return x + ((self.down[chosen] @ h.unsqueeze(-1)).squeeze(-1) * best.unsqueeze(-1)).sum(2)


class Rope(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(9, 12)
        self.layers = nn.ModuleList(RopeLayer() for _ in range(2))
        self.register_buffer("frequencies", 10000.0 ** -(torch.arange(0, 6, 2) / 6), persistent=False)

    def forward(self, tok):
        angle = torch.arange(tok.shape[1])[:, None] * self.frequencies[None]
        angle = torch.cat((angle, angle), -1)
        x = self.embed(tok)
        for layer in self.layers:
            x = layer(x, angle.cos(), angle.sin())
        return x


class Views(nn.Module):
    """Views that divide one axis differently, uneven joins and slices, padding, changes in place, results in other orders."""

    def forward(self, x, y):
        a = torch.tanh(x).reshape(2, 3, 4).transpose(1, 2).reshape(2, 6, 2)  # 3 x 4 as 6 x 2
        joined = torch.cat((x[:, :5], y, x[:, 7:]), 1)
        shifted = F.pad(x[:, :-1], (1, 0))
        z = torch.zeros(2, 12)
        z[:, 2:5] = y[:, :3]
        z[:, 3] += 1
        return a, joined, shifted, z, (x.view(2, 6, 2).sum(-1)).t()


class Results(nn.Module):
    """Results in other orders and divisions, an unrolled loop, windows, almost a GELU, a parameter that is not trained, an input
    without a use."""

    def __init__(self):
        super().__init__()
        self.fc, self.conv = nn.Linear(8, 8), nn.Conv1d(8, 4, 3, 2)
        self.scale = nn.Parameter(torch.randn(8), requires_grad=False)

    def forward(self, unused, x, wave):
        h, state, states = self.fc(x) * self.scale, 0, []
        for i in range(x.shape[1]):
            state = torch.tanh(h[:, i] + state)
            states.append(state)
        heads = h.view(2, 5, 4, 2)
        gate = 0.5 * h * (1 + torch.tanh(0.8 * (h + 0.044715 * h**3)))
        joined = heads.permute(0, 2, 1, 3).reshape(2, 4, 10), heads.sum(-1).flatten(1)
        return h.transpose(1, 2), *joined, torch.stack(states, 1), gate, self.conv(wave) + h[:, 0, :4, None]


class Ends(nn.Module):
    """Positions that are counted from the end: the text holds for other lengths."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        h = torch.tanh(self.fc(x))
        shifted = F.pad(h[:, :-1], (0, 0, 1, 0))
        return self.fc(h[:, -1]), h[:, -2:], h.flip(1) + shifted, F.pad(h, (0, 0, 2, 1), mode="reflect")[:, 1:-1]


class Dropouts(nn.Module):
    """What training leaves out: elements, channels, weights of attention, and draws."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 8)

    def forward(self, x):
        h = F.dropout(self.fc(x), 0.25, self.training)
        h = F.scaled_dot_product_attention(h, h, h, dropout_p=0.5 * self.training)
        h = F.dropout1d(h.transpose(1, 2), 0.1, self.training).transpose(1, 2)
        return h + 0 * torch.rand_like(h)


class Losses(nn.Module):
    """A cross entropy that leaves some labels out, and others beside it."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 5)

    def forward(self, x, label):
        logits = self.fc(x)
        loss = F.cross_entropy(logits.transpose(1, 2), label)
        weights = torch.tensor([1.0, 2.0, 0.5, 1.0, 3.0])
        loss = loss + F.cross_entropy(logits.flatten(0, 1), label.flatten().clamp(min=2), weights, ignore_index=2, label_smoothing=0.1)
        return {"loss": loss + F.nll_loss(logits.log_softmax(-1).transpose(1, 2), label) + F.huber_loss(logits, logits.detach() + 0.7)}


class Experts(nn.Module):
    """A mixture as `transformers` computes it: tokens are sorted by their experts, and turned back."""

    def __init__(self, d=6, f=4, experts=3):
        super().__init__()
        self.gate, self.experts = nn.Linear(d, experts, bias=False), experts
        self.up, self.down = nn.Parameter(torch.randn(experts, d, f)), nn.Parameter(torch.randn(experts, f, d))

    def forward(self, x):
        rows = x.view(-1, x.shape[-1])
        best, chosen = self.gate(rows).softmax(-1).topk(2, -1)
        ids, order = chosen.reshape(-1).sort()
        ends = torch.histc(ids.float(), bins=self.experts, min=0, max=self.experts - 1).cumsum(0, dtype=torch.int32)
        product = torch.ops.transformers.grouped_mm_fallback
        h = product(F.silu(product(rows[order // 2], self.up, ends)), self.down, ends) * best.reshape(-1)[order].unsqueeze(-1)
        back = torch.empty_like(order)
        back[order] = torch.arange(order.shape[0])
        return x + h[back].view(-1, 2, x.shape[-1]).sum(1).view(x.shape)


class Scatters(nn.Module):
    """Writes at computed positions: sums, the largest, and in place of what was there; sorts and counts."""

    def forward(self, x, i, w):
        z = torch.zeros(x.shape[0], 8)
        rows = torch.arange(x.shape[0])[:, None]
        put = torch.ones_like(z).index_put((rows, i), x)
        return z.scatter_add(1, i, x), z.scatter_reduce(1, i, x, "amax"), put, z.index_put((rows, i), x, True), x.sort(-1).values, torch.histc(w, 4, -2, 2)


class Cache(nn.Module):
    """Attention with a cache of keys and values; a counter."""

    def __init__(self, d=4, t=5):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d)
        self.register_buffer("keys", torch.zeros(2, t, d))
        self.register_buffer("values", torch.zeros(2, t, d), persistent=False)
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x, pos):
        q, k, v = self.qkv(x).chunk(3, -1)
        self.keys.index_copy_(1, pos, k)
        self.values.index_copy_(1, pos, v)
        self.count += 1
        mask = torch.arange(self.keys.shape[1])[None, None] <= pos[:, None]
        return F.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=mask) + self.count


class Norms(nn.Module):
    """Batch norm of training: running statistics change."""

    def __init__(self):
        super().__init__()
        self.fc, self.norm = nn.Linear(3, 4), nn.BatchNorm1d(4)

    def forward(self, x):
        return self.norm(self.fc(x))


class Recurrent(nn.Module):
    """Recurrences of both directions, from given states, and loop operators."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(4, 2, batch_first=True, bidirectional=True)
        self.cell = nn.LSTMCell(4, 4)

    def forward(self, x):
        h, (last, _) = self.lstm(x)
        h, _ = self.gru(h)
        state, cell = self.cell(h[:, 0], (h[:, 1], h[:, 2]))
        carried, products = torch._higher_order_ops.scan(lambda c, y: (c * 0.5 + y, c * y), state, h.transpose(0, 1), dim=0)
        _, looped = torch._higher_order_ops.while_loop(
            lambda i, x: i < 3, lambda i, x: (i + 1, torch.sin(x) * 2), (torch.zeros((), dtype=torch.int64), cell))
        return h, last.transpose(0, 1), carried, products.transpose(0, 1), looped


class Twice(nn.Module):
    """Blocks that run again, one after another."""

    def __init__(self):
        super().__init__()
        self.h = nn.ModuleList(nn.Sequential(nn.Linear(4, 4), nn.Tanh()) for _ in range(2))

    def forward(self, input):
        for block in [*self.h, *self.h]:
            input = input + block(input)
        return input


class Everyday(nn.Module):
    """Windows, sizes of images and functions of elements that are formulas."""

    def __init__(self):
        super().__init__()
        self.up = nn.ConvTranspose1d(2, 4, 3, 2, 1, output_padding=1, groups=2)
        self.prelu, self.norm = nn.PReLU(4), nn.InstanceNorm1d(4, affine=True)

    def forward(self, x):
        h = self.norm(self.prelu(self.up(x)))
        pooled = F.max_pool1d(h, 3, 2, 1), F.avg_pool1d(h, 3, 2, 1, ceil_mode=True, count_include_pad=False), F.adaptive_avg_pool1d(h, 5)
        sized = F.interpolate(h, 5, mode="linear"), F.interpolate(h, 18), h.unfold(2, 3, 2).sum(-1)
        folded = F.softshrink(h) + F.selu(h) + F.softplus(h, 2) + h.logcumsumexp(-1) + torch.lerp(h, h.trunc(), 0.3)
        return *pooled, *sized, folded, torch.std_mean(h, -1), h.cumprod(1)


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
            F.scaled_dot_product_attention(image, image, image, dropout_p=0.5),
            F.dropout(x, 0.5, training=True),
            F.batch_norm(image, None, None, training=True),
            torch.linalg.vector_norm(x, 1),
            F.conv2d(image, image[:, :, :3, :3], padding="same"),
            F.conv_transpose2d(image, image, stride=2, output_padding=1),
            F.max_pool2d(image, 3, 2, ceil_mode=True),
            F.avg_pool2d(image, (1, 2)),
            F.avg_pool2d(image, 2, padding=1, count_include_pad=False),
            F.adaptive_avg_pool2d(image, 3),
            F.adaptive_avg_pool1d(x, 2),
            F.interpolate(image, size=(6, 8)),
            x.topk(2, largest=False).values,
            x.argmax(),
            torch.einsum("...i,i->...i", x, x[0]),
            torch.div(x, 2, rounding_mode="floor"),
            F.pad(image, (1, 1, 1, 1), mode="reflect"),
            x.as_strided((3, 2), (1, 1)),
            x.slice_scatter(x[:, :2], 1, 0, 4, 2),
            x.scatter(0, chosen[:1, :2], x),
            torch.repeat_interleave(x, chosen[:, 0], 0, output_size=4),
            torch.lstm(image[0], (x[None, :1], x[None, :1]), (x.repeat(4, 1), x.repeat(4, 1)), False, 1, 0, False, False, False)[0],
            F.max_pool2d(image, 2, return_indices=True)[0],
            x[None][:, chosen[0]],
        )


# Forms that are refused later, when rules are made: the first one alone.
LATE = {
    "neighbours": lambda x: x[:, [0, 1], :, [1, 2]],
    "windows": lambda x: F.conv_transpose2d(x, x[0, :, None, :1]),
    "digits": lambda x: x.reshape(4, 16).reshape(8, 8).cumsum(0),
    "largest": lambda x: x.reshape(4, 16).reshape(8, 8).argmax(0),
    "groups": lambda x: F.conv_transpose2d(x, x[0, :, :2, :1, None], x[0, 0, 0], groups=2),
    "one": lambda x: F.conv1d(x[:, :, 0, :1], x[0, :, :, :3], padding=1),
    "parts": lambda x: F.max_pool2d(x[:, 1:3], 2),
    "computed": lambda x: torch.tril(torch.ones(16, 16))[x[0, 0].argmax(-1)].reshape(4, 4, 4) * x[0],
    "further": lambda x: list(x.max(1)),
}


class Again(nn.Module):
    """A block that runs again behind another one that its results go to."""

    def __init__(self):
        super().__init__()
        self.h = nn.ModuleList(nn.Linear(2, 2) for _ in range(2))

    def forward(self, x):
        y = self.h[0](x)
        return self.h[0](self.h[1](y)) + y


class Late(nn.Module):
    def __init__(self, form):
        super().__init__()
        self.form = form

    def forward(self, x):
        return self.form(x)


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


folder = pathlib.Path(sys.argv[1])
torch.manual_seed(0)
make("mlp", nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3)), {"input": torch.randn(4, 6)}, torch.tensor([0, 2, 1, 1]))
make("cnn", Cnn(), {"image": torch.randn(2, 3, 12, 12)})
make("gpt", Gpt(), {"tok": torch.randint(11, (2, 5))}, torch.randint(11, (2, 5)))
make("rope", Rope(), {"tok": torch.randint(9, (2, 5))}, torch.randint(12, (2, 5)))
make("views", Views(), {"x": torch.randn(2, 12), "y": torch.randn(2, 4)})
make("results", Results(), {"unused": torch.randint(9, (2, 5)), "x": torch.randn(2, 5, 8), "wave": torch.randn(2, 8, 9)})
save(folder / "refused.pt2", torch.export.export(Refused(), (torch.eye(2) * 3,)))
chosen = torch.ones(4, 4, dtype=torch.int64)
save(folder / "limits.pt2", torch.export.export(Limits(), (torch.zeros(4, 4), torch.zeros(1, 1, 4, 4), chosen)))
for name, form in LATE.items():
    save(folder / f"limit-{name}.pt2", torch.export.export(Late(form), (torch.zeros(1, 4, 4, 4),)))
save(folder / "limit-order.pt2", torch.export.export(Again(), (torch.zeros(3, 2),)))
make("normed", Normed(), {"image": torch.randn(2, 4, 8, 8)})
make("steps", Steps(), {"x": torch.randn(2, 6, 5), "h": torch.randn(2, 4)})
make("stacked", Stacked(), {"x": torch.randn(2, 6, 5)}, packs=True)
make("contrast", Contrast(), {"text": torch.randn(3, 4)})
make("sequences", Sequences(), {"x": torch.randn(5, 2, 4), "mask": torch.randn(1, 2, 3)})
make("resnet", Resnet(), {"image": torch.randint(-3, 4, (2, 3, 64, 64)).float()}, packs=True)
torch.manual_seed(0)
save(folder / "gpt-other.pt2", torch.export.export(Gpt().eval(), (), kwargs={"tok": torch.randint(11, (3, 6))}))
pack(folder / "gpt-other.pt2")
for kind in ("plus", "square", "form"):
    for end, shape in (("", (2, 4)), ("-other", (3, 6))):
        save(folder / f"sized-{kind}{end}.pt2", torch.export.export(Sized(kind), (), kwargs={"x": torch.randn(shape)}))
save(folder / "refusals.pt2", torch.export.export(Refusals().eval(), (torch.randn(2, 4, 4), torch.randint(4, (2, 4, 4)))))
save(folder / "changing.pt2", torch.export.export(Changing(), (torch.randn(3),)))
make("ends", Ends(), {"x": torch.randn(2, 6, 4)}, other={"x": torch.randn(3, 9, 4)})
make("dropouts", Dropouts(), {"x": torch.randn(2, 3, 6)}, training=True)
make("losses", Losses(), {"x": torch.randn(2, 4, 6), "label": torch.tensor([[0, -100, 2, 4], [-100, 1, 2, 3]])})
make("experts", Experts(), {"x": torch.randn(2, 3, 6)}, torch.randint(6, (2, 3)))
make("scatters", Scatters(), {"x": torch.randn(2, 6), "i": torch.stack([torch.randperm(8)[:6] for _ in range(2)]), "w": torch.randn(9)})
make("recurrent", Recurrent(), {"x": torch.randn(2, 4, 3)})
make("twice", Twice(), {"input": torch.randn(3, 4)}, torch.randint(4, (3,)))
make("everyday", Everyday(), {"x": torch.randn(2, 2, 6)})
steps("cache", Cache(), [{"x": torch.randn(2, 1, 4), "pos": torch.tensor([i])} for i in range(4)])
steps("norms", Norms().train(), [{"x": torch.randn(5, 3)} for _ in range(3)])
