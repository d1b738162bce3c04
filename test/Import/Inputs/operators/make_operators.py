"""make_operators.py FOLDER: writes models of one kind of operators each."""
import pathlib
import sys

import torch
import torch.nn.functional as F
from torch import nn

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from archives import folder, make, save, steps


class Ends(nn.Module):
    """Positions that are counted from the end: the text holds for other lengths."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        h = torch.tanh(self.fc(x))
        shifted = F.pad(h[:, :-1], (0, 0, 1, 0))
        longer = torch.cat((h, self.fc(x)[:, :1]), 1).softmax(1)[:, :-1]
        return self.fc(h[:, -1]), h[:, -2:], h.flip(1) + shifted, F.pad(h, (0, 0, 2, 1), mode="reflect")[:, 1:-1], longer * h


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


class Merged(nn.Module):
    """Axes that views merge and divide again, parts and computed positions of them; a largest with its position."""

    def forward(self, x, image):
        rows = x.reshape(8, 8)
        return (
            x[:, [0, 1], :, [1, 2]],
            F.conv_transpose2d(image, image[0, :, None, :1]),
            rows.cumsum(0),
            rows.argmax(0),
            F.conv_transpose2d(x, x[0, :, :2, :1, None], x[0, 0, 0], groups=2),
            F.max_pool2d(x[:, 1:3], 2),
            torch.tril(torch.ones(16, 16))[x[0, 0].argmax(-1)].reshape(4, 4, 4) * x[0],
            *x.max(1),
        )


class Around(nn.Module):
    """A block that runs again behind another one that its results go to."""

    def __init__(self):
        super().__init__()
        self.h = nn.ModuleList(nn.Linear(2, 2) for _ in range(2))

    def forward(self, x):
        y = self.h[0](x)
        return self.h[0](self.h[1](y)) + y


class Listed(nn.Module):
    """Equal blocks in two lists, one of which has a reserved name."""

    def __init__(self):
        super().__init__()
        self.layer, self.more = (nn.ModuleList(nn.Sequential(nn.Linear(4, 4), nn.Tanh()) for _ in range(2)) for _ in range(2))

    def forward(self, x):
        for block in self.layer:
            x = block(x)
        x = x.flip(1)
        for block in self.more:
            x = block(x)
        return x


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
        return *pooled, *sized, folded, torch.std_mean(h, -1), h.cumprod(1), F.pad(h, (1, 2), mode="replicate")


class Padded(nn.Module):
    """Padding is embedded by a row that is not trained."""

    def __init__(self):
        super().__init__()
        self.word, self.head = nn.Embedding(5, 4, padding_idx=3), nn.Linear(4, 6)
        self.word.weight.data[3] = 0.5

    def forward(self, tok):
        return self.head(self.word(tok))


class Trained(nn.Module):
    """Convolutions and norms of training: they take the batch's statistics in training, and the kept ones elsewhere."""

    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Conv2d(2, 3, 3, padding=1, bias=False), nn.BatchNorm2d(3)
        self.second, self.norm2 = nn.Conv2d(3, 3, 3, padding=1, bias=False), nn.BatchNorm2d(3)

    def forward(self, image):
        h = F.relu(self.norm(self.first(image)))
        return self.norm2(self.second(h)).mean((2, 3))


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
make("merged", Merged(), {"x": torch.randn(1, 4, 4, 4), "image": torch.randn(1, 4, 4, 4)})
make("around", Around(), {"x": torch.randn(3, 2)})
make("listed", Listed(), {"x": torch.randn(3, 4)})
make("padded", Padded(), {"tok": torch.tensor([[0, 3, 2], [4, 3, 3]])}, torch.randint(6, (2, 3)))
make("trained", Trained(), {"image": torch.randn(3, 2, 4, 4)}, torch.randint(3, (3,)), training=True)
