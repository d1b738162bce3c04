"""The model of examples/gpt.ein in PyTorch, for measurements beside plc. Not used by the product or its tests."""
import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.norm = nn.LayerNorm(d)
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.out = nn.Linear(d, d, bias=False)

    def forward(self, x):
        b, s, d = x.shape
        q, k, v = (t.view(b, s, self.h, d // self.h).transpose(1, 2) for t in self.qkv(self.norm(x)).split(d, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(y.transpose(1, 2).reshape(b, s, d))


class FeedForward(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.up = nn.Linear(d, 4 * d)
        self.down = nn.Linear(4 * d, d)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Gpt(nn.Module):
    def __init__(self, v=256, s=128, d=128, h=4, l=4):
        super().__init__()
        self.wte = nn.Embedding(v, d)
        self.wpe = nn.Parameter(torch.empty(s, d))
        self.layers = nn.Sequential(*[m for _ in range(l) for m in (Attention(d, h), FeedForward(d))])
        self.norm = nn.LayerNorm(d)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.02)

    def forward(self, tok, nxt):
        x = self.layers(self.wte(tok) + self.wpe)
        logits = self.norm(x) @ self.wte.weight.T
        return F.cross_entropy(logits.flatten(0, 1), nxt.flatten())
