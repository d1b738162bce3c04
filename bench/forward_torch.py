"""Module of forward.py: BERT, ViT and ResNet-50 in PyTorch, with the weights of examples/."""
import torch
import torch.nn.functional as F
from torch import nn


def linear(w, b):
    """A layer whose matrix is [out, in]."""
    layer = nn.Linear(w.shape[1], w.shape[0])
    layer.weight.data, layer.bias.data = w.contiguous(), b.flatten()
    return layer


def turned(w, b, inputs=1):
    """The same for a matrix [in.., out..]."""
    rows = 1
    for extent in w.shape[:inputs]:
        rows *= extent
    return linear(w.reshape(rows, -1).T, b)


def norm(w, p, eps):
    layer = nn.LayerNorm(w[p + "g"].shape[0], eps)
    layer.weight.data, layer.bias.data = w[p + "g"], w[p + "c"]
    return layer


class Attention(nn.Module):
    def __init__(self, q, k, v, o, heads):
        super().__init__()
        self.q, self.k, self.v, self.o, self.heads = q, k, v, o, heads

    def forward(self, x, mask):
        b, s, d = x.shape
        q, k, v = (f(x).view(b, s, self.heads, d // self.heads).transpose(1, 2) for f in (self.q, self.k, self.v))
        return self.o(F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).reshape(b, s, d))


class Bert(nn.Module):
    def __init__(self, w, layers, heads):
        super().__init__()
        self.word, self.position, self.kind = (nn.Parameter(w[f"embed.{name}"]) for name in ("word", "position", "kind_of"))
        self.first = norm(w, "embed.", 1e-12)
        self.layers = nn.ModuleList()
        for l in range(layers):
            a, f = f"attention.{l}.", f"ffn.{l}."
            parts = [linear(w[a + "w" + c], w[a + "b" + c]) for c in "qkvo"]
            self.layers.append(nn.ModuleList([Attention(*parts, heads), norm(w, a, 1e-12), linear(w[f + "w1"], w[f + "b1"]),
                                              linear(w[f + "w2"], w[f + "b2"]), norm(w, f, 1e-12)]))
        self.pool = linear(w["pool.w"], w["pool.b"])

    def forward(self, tok, segment, mask):
        x = self.first(F.embedding(tok, self.word) + F.embedding(segment, self.kind) + self.position[:tok.shape[1]])
        seen = mask[:, None, None, :] != 0
        for attend, norm1, up, down, norm2 in self.layers:
            x = norm1(x + attend(x, seen))
            x = norm2(x + down(F.gelu(up(x))))
        return x, torch.tanh(self.pool(x[:, 0]))


class Vit(nn.Module):
    def __init__(self, w, layers, heads):
        super().__init__()
        self.w, self.layers = w, nn.ModuleList()
        for l in range(layers):
            a, f = f"attend.{l}.", f"ffn.{l}."
            parts = [turned(w[a + "w" + c], w[a + "b" + c], 2 if c == "o" else 1) for c in "qkvo"]
            self.layers.append(nn.ModuleList([norm(w, a, 1e-6), Attention(*parts, heads), norm(w, f, 1e-6),
                                              turned(w[f + "w1"], w[f + "b1"]), turned(w[f + "w2"], w[f + "b2"])]))
        self.last, self.head = norm(w, "head.", 1e-6), turned(w["head.w"], w["head.o"])

    def forward(self, image):
        w = self.w
        x = F.conv2d(image, w["embed.w"], w["embed.o"], stride=w["embed.w"].shape[-1]).flatten(2).transpose(1, 2)
        x = torch.cat([w["embed.first"].expand(x.shape[0], 1, -1), x], 1) + w["embed.position"]
        for norm1, attend, norm2, up, down in self.layers:
            x = x + attend(norm1(x), None)
            x = x + down(F.gelu(up(norm2(x))))
        return self.head(self.last(x[:, 0]))


class ResNet(nn.Module):
    def __init__(self, w, blocks):
        super().__init__()
        self.w, self.blocks = w, blocks

    def conv(self, x, p, stride=1):
        w, p = self.w, p + "conv."
        x = F.conv2d(x, w[p + "w"], stride=stride, padding=w[p + "w"].shape[-1] // 2)
        return F.batch_norm(x, w[p + "mean_of"], w[p + "variance"], w[p + "g"], w[p + "o"])

    def block(self, x, p, stride, first):
        y = F.relu(self.conv(x, p + "a."), inplace=True)
        y = F.relu(self.conv(y, p + "b.", stride), inplace=True)
        return F.relu(self.conv(y, p + "c.") + (self.conv(x, p + "down.", stride) if first else x), inplace=True)

    def forward(self, image):
        x = F.max_pool2d(F.relu(self.conv(image, "stem.", 2), inplace=True), 3, 2, 1)
        for stage, count in enumerate(self.blocks, 1):
            x = self.block(x, f"stage{stage}.first.", 1 if stage == 1 else 2, True)
            for l in range(count - 1):
                x = self.block(x, f"stage{stage}.block.{l}.", 1, False)
        return F.linear(F.adaptive_avg_pool2d(x, 1).flatten(1), self.w["head.w"], self.w["head.o"])
