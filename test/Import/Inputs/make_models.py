"""make_models.py FOLDER: writes the models that become rules."""
import math

import torch
import torch.nn.functional as F
from torch import nn

from archives import folder, make, pack, save


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


class Stage(nn.Module):
    """Blocks in a list of its own, as in ResNet of `transformers`."""

    def __init__(self, inputs, width, count):
        super().__init__()
        self.layers = nn.Sequential(*(Bottleneck(4 * width if k else inputs, width, 1 if k else 2, not k) for k in range(count)))

    def forward(self, x):
        return self.layers(x)


class Stages(nn.Module):
    """A list of lists of blocks."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 2, 3)
        self.stages = nn.ModuleList([Stage(2, 2, 2), Stage(8, 4, 4)])

    def forward(self, image):
        x = torch.tanh(self.conv(image))
        for stage in self.stages:
            x = stage(x)
        return x


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


torch.manual_seed(0)
make("mlp", nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3)), {"input": torch.randn(4, 6)}, torch.tensor([0, 2, 1, 1]))
make("cnn", Cnn(), {"image": torch.randn(2, 3, 12, 12)})
make("gpt", Gpt(), {"tok": torch.randint(11, (2, 5))}, torch.randint(11, (2, 5)))
make("rope", Rope(), {"tok": torch.randint(9, (2, 5))}, torch.randint(12, (2, 5)))
make("views", Views(), {"x": torch.randn(2, 12), "y": torch.randn(2, 4)})
make("results", Results(), {"unused": torch.randint(9, (2, 5)), "x": torch.randn(2, 5, 8), "wave": torch.randn(2, 8, 9)})
make("normed", Normed(), {"image": torch.randn(2, 4, 8, 8)})
make("steps", Steps(), {"x": torch.randn(2, 6, 5), "h": torch.randn(2, 4)})
make("stacked", Stacked(), {"x": torch.randn(2, 6, 5)}, packs=True)
make("contrast", Contrast(), {"text": torch.randn(3, 4)})
make("sequences", Sequences(), {"x": torch.randn(5, 2, 4), "mask": torch.randn(1, 2, 3)})
make("resnet", Resnet(), {"image": torch.randint(-3, 4, (2, 3, 64, 64)).float()}, packs=True)
make("stages", Stages(), {"image": torch.randn(2, 3, 15, 15)}, packs=True)
torch.manual_seed(0)
save(folder / "gpt-other.pt2", torch.export.export(Gpt().eval(), (), kwargs={"tok": torch.randint(11, (3, 6))}))
pack(folder / "gpt-other.pt2")
