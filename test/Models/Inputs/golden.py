#!/usr/bin/env python3
"""golden.py [NAME ..]: writes NAME.safetensors: what PyTorch gives for the models of examples/ at a small size, in f64: the
inputs, the outputs, and the gradient of the loss for each trained parameter. Written from PyTorch's own layers, from papers and
from what others' checkpoints are computed with, not from the .ein files. (pip install torch==2.13.0 numpy; plc-run in PATH.)
Tests only read the files."""
import json
import math
import pathlib
import struct
import sys

import torch
from torch import nn
from torch.nn import functional as F

from drawn import parameters, values

here = pathlib.Path(__file__).resolve().parent
torch.set_default_dtype(torch.float64)
MODELS = {}


def golden(flags):
    """Registers a model with its sizes; its function takes the weights by name and the sizes, and gives inputs and outputs."""
    def register(function):
        sizes = dict(part.split("=") for part in flags.split())
        MODELS[function.__name__.replace("_", "-")] = (function, {name: int(size) for name, size in sizes.items()})
        return function
    return register


def tokens(name, *shape, most):
    return torch.randint(most, shape, generator=torch.Generator().manual_seed(sum(map(ord, name))))


def numbers(name, *shape):
    drawn = torch.randn(*shape, generator=torch.Generator().manual_seed(sum(map(ord, name))))
    return drawn.float().double()


def into(x, w, b=None):
    """x times a matrix whose first axes are those of x's last."""
    w2 = w.reshape(x.shape[-1], -1)
    y = x @ w2
    return (y if b is None else y + b.reshape(-1)).reshape(*x.shape[:-1], *w.shape[1:])


def split(x, w, b=None):
    """Heads [B, H, S, K] of x times w[D, H, K]."""
    return into(x, w, b).transpose(1, 2)


def merge(a, w, b=None):
    """Heads back to rows, times w[H, K, D]."""
    rows = a.transpose(1, 2).flatten(2)
    return F.linear(rows, w.reshape(-1, w.shape[-1]).T, b)


def attend(x, w, p, norm, mix):
    """A residual layer of attention whose parameters begin with p."""
    n = norm(x, p)
    q, k, v = (split(n, w[p + "w" + c], w.get(p + "b" + c)) for c in "qkv")
    return x + merge(mix(q, k, v), w[p + "wo"], w.get(p + "bo"))


def mlp(x, w, p, norm, activation):
    hidden = activation(into(norm(x, p), w[p + "w1"], w.get(p + "b1")))
    return x + into(hidden, w[p + "w2"], w.get(p + "b2"))


def layer_norm(w, eps=1e-5):
    return lambda x, p: F.layer_norm(x, x.shape[-1:], w[p + "g"], w[p + "c"], eps)


def rms_norm(w, eps=1e-5):
    return lambda x, p: F.rms_norm(x, x.shape[-1:], w[p + "g"], eps)


def causal(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def language(logits, following):
    return F.cross_entropy(logits.flatten(0, 1), following.flatten())


def gelu_tanh(x):
    return F.gelu(x, approximate="tanh")


@golden("B=2 S=6 V=11 L=2 D=8 H=2")
def gpt(w, B, S, V, L, D, H):
    tok, following = tokens("tok", B, S, most=V), tokens("next", B, S, most=V)
    norm = layer_norm(w)
    x = w["embed.wte"][tok] + w["embed.wpe"]
    for l in range(L):
        x = attend(x, w, f"attention.{l}.", norm, causal)
        x = mlp(x, w, f"ffn.{l}.", norm, F.gelu)
    logits = norm(x, "head.") @ w["embed.wte"].T
    return {"tok": tok, "next": following}, {"loss": language(logits, following), "logits": logits}


@golden("B=2 S=6 V=11 P=9 L=2 D=8 H=2")
def gpt2(w, B, S, V, P, L, D, H):
    tok, following = tokens("tok", B, S, most=V), tokens("next", B, S, most=V)
    norm = layer_norm(w)
    x = w["embed.wte"][tok] + w["embed.wpe"][:S]
    for l in range(L):
        x = attend(x, w, f"attention.{l}.", norm, causal)
        x = mlp(x, w, f"ffn.{l}.", norm, gelu_tanh)
    logits = norm(x, "head.") @ w["embed.wte"].T
    return {"tok": tok, "next": following}, {"loss": language(logits, following), "logits": logits}


@golden("B=2 S=6 V=11 L=2 D=16 F=12 H=4 G=2")
def llama(w, B, S, V, L, D, F, H, G):
    tok, following = tokens("tok", B, S, most=V), tokens("next", B, S, most=V)
    norm = rms_norm(w)

    def grouped(q, k, v):
        return nn.functional.scaled_dot_product_attention(rotate(q, 1e4), rotate(k, 1e4), v, is_causal=True, enable_gqa=True)

    x = w["embed.w"][tok]
    for l in range(L):
        p = f"attention.{l}."
        heads = {p + name: w[p + name].reshape(D, -1, D // H) for name in ("wq", "wk", "wv")}
        x = attend(x, heads | {p + "g": w[p + "g"], p + "wo": w[p + "wo"].reshape(H, D // H, D)}, p, norm, grouped)
        p = f"ffn.{l}."
        n = norm(x, p)
        x = x + (nn.functional.silu(n @ w[p + "w1"]) * (n @ w[p + "w3"])) @ w[p + "w2"]
    logits = norm(x, "head.") @ w["head.w"].T
    return {"tok": tok, "next": following}, {"loss": language(logits, following), "logits": logits}


@golden("B=2 S=6 V=11 P=9 T=2 L=2 D=8 H=2")
def bert_masked(w, B, S, V, P, T, L, D, H):
    tok, was, segment = tokens("tok", B, S, most=V), tokens("was", B, S, most=V), tokens("segment", B, S, most=T)
    hidden = tokens("hidden", B, S, most=2)
    mask = torch.ones(B, S, dtype=torch.long)
    mask[1, S - 2:] = 0

    def norm(x, p):
        return F.layer_norm(x, (D,), w[p + "g"], w[p + "c"], 1e-12)

    x = norm(w["embed.word"][tok] + w["embed.kind_of"][segment] + w["embed.position"][:S], "embed.")
    layer = nn.TransformerEncoderLayer(D, H, 4 * D, dropout=0, activation="gelu", layer_norm_eps=1e-12, batch_first=True)
    for l in range(L):
        a, f = f"attention.{l}.", f"ffn.{l}."
        given = {"self_attn.in_proj_weight": torch.cat([w[a + "wq"], w[a + "wk"], w[a + "wv"]]),
                 "self_attn.in_proj_bias": torch.cat([w[a + "bq"], w[a + "bk"], w[a + "bv"]]),
                 "self_attn.out_proj.weight": w[a + "wo"], "self_attn.out_proj.bias": w[a + "bo"],
                 "norm1.weight": w[a + "g"], "norm1.bias": w[a + "c"], "linear1.weight": w[f + "w1"], "linear1.bias": w[f + "b1"],
                 "linear2.weight": w[f + "w2"], "linear2.bias": w[f + "b2"], "norm2.weight": w[f + "g"], "norm2.bias": w[f + "c"]}
        x = torch.func.functional_call(layer, given, x, {"src_key_padding_mask": mask == 0})
    logits = norm(F.gelu(F.linear(x, w["guess.w"], w["guess.b"])), "guess.") @ w["embed.word"].T + w["guess.o"]
    return ({"tok": tok, "segment": segment, "mask": mask, "hidden": hidden, "was": was},
            {"loss": F.cross_entropy(logits[hidden == 1], was[hidden == 1]), "logits": logits})


@golden("B=2 N=8 P=4 C=3 D=8 H=2 L=2 V=5")
def vit(w, B, N, P, C, D, H, L, V):
    image, label = numbers("image", B, C, N, N), tokens("class", B, most=V)
    x = F.conv2d(image, w["embed.w"], w["embed.o"], stride=P).flatten(2).transpose(1, 2)
    x = torch.cat([w["embed.first"].expand(B, 1, D), x], 1) + w["embed.position"]
    norm = layer_norm(w, 1e-6)
    for l in range(L):
        x = attend(x, w, f"attend.{l}.", norm, F.scaled_dot_product_attention)
        x = mlp(x, w, f"ffn.{l}.", norm, F.gelu)
    logits = into(norm(x, "head.")[:, 0], w["head.w"], w["head.o"])
    return {"image": image, "class": label}, {"loss": F.cross_entropy(logits, label), "logits": logits}


def res_net(w, M, G, N, V, W, L1, L2, L3, L4, KEPT=0):
    image, label = numbers("image", M, G, 3, N, N), tokens("class", M, G, most=V)

    def conv(x, p, stride=1):
        k = w[p + "conv.w"]
        x = F.conv2d(x, k, stride=stride, padding=k.shape[-1] // 2)
        return F.batch_norm(x, w[p + "conv.mean_of"].detach(), w[p + "conv.variance"].detach(), w[p + "conv.g"], w[p + "conv.o"],
                            training=not KEPT, momentum=0.0)

    def block(x, p, stride, first):
        y = F.relu(conv(x, p + "a."))
        y = F.relu(conv(y, p + "b.", stride))
        return F.relu(conv(y, p + "c.") + (conv(x, p + "down.", stride) if first else x))

    logits = []
    for group in image:
        x = F.max_pool2d(F.relu(conv(group, "stem.", 2)), 3, 2, 1)
        for stage, count in enumerate((L1, L2, L3, L4), 1):
            x = block(x, f"stage{stage}.first.", 1 if stage == 1 else 2, True)
            for l in range(count - 1):
                x = block(x, f"stage{stage}.block.{l}.", 1, False)
        logits.append(F.linear(F.adaptive_avg_pool2d(x, 1).flatten(1), w["head.w"], w["head.o"]))
    logits = torch.stack(logits)
    return {"image": image, "class": label}, {"loss": language(logits, label), "logits": logits}


@golden("M=2 G=3 N=33 V=5 W=2 L1=1 L2=3 L3=1 L4=1")
def resnet50(w, **sizes):
    return res_net(w, **sizes)


@golden("M=2 G=1 N=33 V=5 W=2 L1=1 L2=3 L3=1 L4=1 KEPT=1")
def resnet50_kept(w, **sizes):
    return res_net(w, **sizes)


@golden("M=2 N=64 IN=3 OUT=1 B=3 C=2")
def unet(w, M, N, IN, OUT, B, C):
    image, mask = numbers("image", M, IN, N, N), tokens("mask", M, OUT, N, N, most=2).double()

    def convs(x, p):
        for part in ("first.conv.", *(f"conv.{l}." for l in range(B - 2)), "last.conv."):
            x = F.leaky_relu(F.instance_norm(F.conv2d(x, w[p + "convs." + part + "w"], padding=1)), 0.01)
        return x

    x, skips = image, []
    for l in range(5):
        skips.append(convs(x, f"level{l}.down."))
        x = F.max_pool2d(skips[-1], 2)
    x = convs(x, "bottom.")
    for l in reversed(range(5)):
        x = convs(torch.cat([F.interpolate(x, scale_factor=2), skips[l]], 1), f"level{l}.up.")
    logits = F.conv2d(x, w["segment.w"][:, :, None, None])
    return {"image": image, "mask": mask}, {"loss": F.binary_cross_entropy_with_logits(logits, mask), "logits": logits}


def t5_bucket(distance, both, buckets, far):
    """As the paper's own code has it; distance is that from query to key."""
    first = torch.zeros_like(distance)
    if both:
        buckets //= 2
        first = (distance > 0) * buckets
        distance = distance.abs()
    else:
        distance = -distance.clamp(max=0)
    exact = buckets // 2
    large = exact + (torch.log(distance.float() / exact) / math.log(far / exact) * (buckets - exact)).long()
    return first + torch.where(distance < exact, distance, large.clamp(max=buckets - 1))


@golden("B=2 S=9 T=7 V=11 L=2 D=8 H=2 K=3 F=10 N=8 FAR=6")
def t5(w, B, S, T, V, L, D, H, K, F, N, FAR):
    source, target, following = tokens("source", B, S, most=V), tokens("target", B, T, most=V), tokens("next", B, T, most=V)
    mask = torch.ones(B, S, dtype=torch.long)
    mask[1, S - 3:] = 0
    norm = rms_norm(w, 1e-6)

    def biases(p, length, both):
        at = torch.arange(length)
        return w[p + "biases.w"][t5_bucket(at[None, :] - at[:, None], both, N, FAR)].permute(2, 0, 1)

    def cross(y, x, p, bias):
        q = split(norm(y, p), w[p + "wq"])
        k, v = (split(x, w[p + "w" + c]) for c in "kv")
        return y + merge(torch.softmax(q @ k.transpose(-1, -2) + bias, -1) @ v, w[p + "wo"])

    def itself(x, p, bias):
        return attend(x, w, p, norm, lambda q, k, v: torch.softmax(q @ k.transpose(-1, -2) + bias, -1) @ v)

    hidden = torch.where(mask == 0, -math.inf, 0.0)[:, None, None, :]
    x, y = w["embed.w"][source], w["embed.w"][target]
    bias = biases("encoder.", S, True) + hidden
    for l in range(L):
        x = itself(x, f"encoder.self.{l}.", bias)
        x = mlp(x, w, f"encoder.ffn.{l}.", norm, torch.relu)
    x = norm(x, "encoder.norm.")
    bias = biases("decoder.", T, False) + torch.full((T, T), -math.inf).triu(1)
    for l in range(L):
        y = itself(y, f"decoder.self.{l}.", bias)
        y = cross(y, x, f"decoder.cross.{l}.", hidden)
        y = mlp(y, w, f"decoder.ffn.{l}.", norm, torch.relu)
    logits = norm(y, "decoder.norm.") * D**-0.5 @ w["embed.w"].T
    return ({"source": source, "mask": mask, "target": target, "next": following},
            {"loss": language(logits, following), "logits": logits})


@golden("B=2 S=6 V=11 L=2 D=8 H=2")
def bloom(w, B, S, V, L, D, H):
    tok, following = tokens("tok", B, S, most=V), tokens("next", B, S, most=V)
    norm = layer_norm(w)
    slopes = torch.tensor([2 ** (-8 * (h + 1) / H) for h in range(H)])
    bias = slopes[:, None, None] * torch.arange(S) + torch.full((S, S), -math.inf).triu(1)   # Hugging Face's form
    x = norm(w["embed.w"][tok], "embed.")
    for l in range(L):
        x = attend(x, w, f"attend.{l}.", norm, lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=bias.expand(B, -1, -1, -1)))
        x = mlp(x, w, f"ffn.{l}.", norm, gelu_tanh)
    logits = norm(x, "head.") @ w["embed.w"].T
    return {"tok": tok, "next": following}, {"loss": language(logits, following), "logits": logits}


def rotate(x, base):
    """Hugging Face's rotary positions of [B, H, S, K]."""
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[-2])[:, None] * base ** (-torch.arange(half) / half)
    cos, sin = (torch.cat([part, part], -1) for part in (angles.cos(), angles.sin()))
    return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin


@golden("B=2 S=6 V=11 L=2 D=8 F=6 H=4 G=2 E=4 J=2")
def mixtral(w, B, S, V, L, D, F, H, G, E, J):
    tok, following = tokens("tok", B, S, most=V), tokens("next", B, S, most=V)
    norm = rms_norm(w)

    def grouped(q, k, v):
        return nn.functional.scaled_dot_product_attention(rotate(q, 1e6), rotate(k, 1e6), v, is_causal=True, enable_gqa=True)

    x, uneven = w["embed.w"][tok], 0
    for l in range(L):
        x = attend(x, w, f"attend.{l}.", norm, grouped)
        p = f"experts.{l}."
        n = norm(x, p)
        scores = n @ w[p + "gate"]
        chances = torch.softmax(scores, -1)
        gates, chosen = chances.topk(J, -1)
        gates = gates / gates.sum(-1, keepdim=True)
        uneven = uneven + E * (nn.functional.one_hot(chosen, E).sum(2).double().mean(1) * chances.mean(1)).sum(-1)
        for e in range(E):
            result = (nn.functional.silu(n @ w[p + "w1"][e]) * (n @ w[p + "w3"][e])) @ w[p + "w2"][e]
            x = x + result * (gates * (chosen == e)).sum(-1, keepdim=True)
    logits = norm(x, "head.") @ w["head.w"].T
    entropy, balance = language(logits, following), uneven.mean() / L
    return ({"tok": tok, "next": following},
            {"loss": entropy + 0.02 * balance, "entropy": entropy, "balance": balance, "logits": logits})


@golden("B=2 T=5 V=7 D=4 L=2")
def lstm(w, B, T, V, D, L):
    tok, following = tokens("tok", B, T, most=V), tokens("next", B, T, most=V)
    x = w["embed.w"][tok]
    for l in range(L):
        def joined(name):
            """PyTorch's [gates * out, in]."""
            return w[f"recur.{l}.{name}"].transpose(1, 2).reshape(4 * D, D)
        layer = nn.LSTM(D, D, batch_first=True)
        given = {"weight_ih_l0": joined("w"), "weight_hh_l0": joined("u"), "bias_ih_l0": w[f"recur.{l}.b"].reshape(-1),
                 "bias_hh_l0": torch.zeros(4 * D)}
        x = torch.func.functional_call(layer, given, x)[0]
    logits = into(x, w["head.w"], w["head.o"])
    return {"tok": tok, "next": following}, {"loss": language(logits, following), "logits": logits}


@golden("B=2 T=5 V=7 L=2 D=4 N=3 W=3 R=2")
def mamba(w, B, T, V, L, D, N, W, R):
    tok, following = tokens("tok", B, T, most=V), tokens("next", B, T, most=V)
    norm = rms_norm(w)
    x = w["embed.w"][tok]
    for l in range(L):
        p = f"mix.{l}."
        n = norm(x, p)
        inside, gate = (n @ w[p + "inside"]).transpose(1, 2), n @ w[p + "gate"]
        u = F.silu(F.conv1d(inside, w[p + "window"][:, None], w[p + "shift"], padding=W - 1, groups=2 * D)[..., :T]).transpose(1, 2)
        step = F.softplus(u @ w[p + "down"] @ w[p + "up"] + w[p + "step"])
        into_state, from_state = u @ w[p + "into"], u @ w[p + "from"]
        kept = torch.exp(step[..., None] * -torch.exp(w[p + "decay"]))
        state, outputs = torch.zeros(B, 2 * D, N), []
        for t in range(T):
            state = kept[:, t] * state + (step[:, t] * u[:, t])[..., None] * into_state[:, t, None]
            outputs.append((state * from_state[:, t, None]).sum(-1))
        x = x + ((torch.stack(outputs, 1) + u * w[p + "skip"]) * F.silu(gate)) @ w[p + "outside"]
    logits = norm(x, "head.") @ w["embed.w"].T
    return {"tok": tok, "next": following}, {"loss": language(logits, following), "logits": logits}


@golden("B=2 S=6 V=5 D=8 H=2 NEAR=2")
def rules(w, B, S, V, D, H, NEAR):
    tok, label = tokens("tok", B, S, most=V), tokens("class", B, S, most=V)
    norm = rms_norm(w)
    at = torch.arange(S)
    known = (at[None, :] <= at[:, None]) & ((tok[:, :, None] == tok[:, None, :]) | (at[:, None] - at[None, :] < NEAR))
    x = w["embed.w"][tok] + w["embed.position"]
    asks, has = torch.sigmoid(x @ w["learned.ask"]), torch.sigmoid(x @ w["learned.has"])
    truth = (asks[:, :, None] * has[:, None, :]).tril(-1)
    found = 1 - (1 - truth).prod(-1)
    broken = (1 - torch.clamp(1 - asks + found, max=1)).mean()

    def hard(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=known[:, None])

    def soft(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=2 * truth[:, None])

    def gated(q, k, v):
        total = truth.sum(-1, keepdim=True)
        share = truth / torch.where(total == 0, 1.0, total)
        p = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(D // H), -1)
        return torch.where(total[:, None] == 0, p, 0.7 * p + 0.3 * share[:, None]) @ v

    for l, mix in enumerate((hard, soft, gated)):
        x = attend(x, w, f"attend.{l}.", norm, mix)
        x = mlp(x, w, f"ffn.{l}.", norm, F.gelu)
    logits = into(norm(x, "head."), w["head.w"])
    entropy = language(logits, label)
    return {"tok": tok, "class": label}, {"loss": entropy + broken, "entropy": entropy, "broken": broken, "logits": logits}


def write(path, flags, inputs, tensors):
    """Integers as I32, numbers as F32."""
    header, data = {"__metadata__": {"flags": " ".join(flags), "inputs": " ".join(inputs)}}, b""
    for name, tensor in tensors.items():
        real = tensor.is_floating_point()
        part = tensor.detach().to(torch.float32 if real else torch.int32).contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32" if real else "I32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def main():
    examples = here.parents[2] / "examples"
    for name in sys.argv[1:] or MODELS:
        function, sizes = MODELS[name]
        flags = [word for size, value in sizes.items() for word in ("-D", f"{size}={value}")]
        file = examples / f"{name.removesuffix('-kept')}.ein"
        found = list(parameters(str(file), flags))
        weights = {path: torch.tensor(values(path, shape), requires_grad=train).reshape(shape) for path, shape, train in found}
        trained = {path: weights[path] for path, _, train in found if train}
        inputs, outputs = function(weights, **sizes)
        gradients = torch.autograd.grad(outputs["loss"], list(trained.values()))
        write(here / f"{name}.safetensors", flags, inputs, inputs | outputs | {f"grad({path})": g for path, g in zip(trained, gradients)})
        print(name, " ".join(flags), f"loss {outputs['loss']:.6f}")


main()
