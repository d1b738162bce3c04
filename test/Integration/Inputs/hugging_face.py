"""hugging_face.py gpt2|llama|bert FOLDER: a small checkpoint with Hugging Face's names and layouts, model inputs, and what
such a model gives for them: computed here by its definition, in f64, by loops over lists. No package is needed.

  FOLDER/model.safetensors (gpt2: two shards and model.safetensors.index.json), *.npy; of gpt2 a text that it continues"""
import json, math, os, random, struct, sys

kind, folder = sys.argv[1:]
os.makedirs(folder)
draw = random.Random(kind)
B, S, V, P, D, H, L = 2, 5, 11, 7, 12, 3, 2
if kind == "llama":
    D, H = 16, 4  # heads of 4: two pairs
F, G, K = 4 * D, 2, D // H
weights = {}


def weight(name, *shape):
    """Values that f32 holds, nested as the shape says."""
    def make(shape):
        if shape:
            return [make(shape[1:]) for _ in range(shape[0])]
        return struct.unpack("<f", struct.pack("<f", draw.gauss(0, 0.5)))[0]
    weights[name] = (shape, make(shape))
    return weights[name][1]


def flat(value):
    return [x for each in value for x in flat(each)] if isinstance(value, list) else [value]


def save(name, names):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for each in names:
        shape, value = weights[each]
        part = struct.pack(f"<{len(flat(value))}f", *flat(value))
        header[each] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    with open(os.path.join(folder, name), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def npy(name, shape, value, descr="<f8"):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(os.path.join(folder, name), "wb") as file:
        file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(flat(value))}{'d' if descr == '<f8' else 'q'}", *flat(value)))


def linear(x, w, b=None, out_first=True):
    """A row times a matrix, [out, in] or [in, out], plus an offset."""
    columns = w if out_first else list(zip(*w))
    return [sum(a * c for a, c in zip(x, column)) + (b[i] if b else 0) for i, column in enumerate(columns)]


def add(x, y):
    return [a + b for a, b in zip(x, y)]


def layer_norm(x, g, c, eps):
    mean = sum(x) / len(x)
    variance = sum((a - mean) ** 2 for a in x) / len(x)
    return [(a - mean) / math.sqrt(variance + eps) * g[i] + c[i] for i, a in enumerate(x)]


def rms_norm(x, g, eps=1e-5):
    scale = math.sqrt(sum(a * a for a in x) / len(x) + eps)
    return [a / scale * g[i] for i, a in enumerate(x)]


def attend(q, k, v, seen):
    """Heads of one sample: q[s], k[t], v[t] are lists of heads; seen(s, t). Gives the heads of each s beside each other."""
    rows = []
    for s in range(len(q)):
        row = []
        for h in range(H):
            g = h * len(k[0]) // H  # the head of keys that these queries share
            scores = [sum(a * b for a, b in zip(q[s][h], k[t][g])) / math.sqrt(K) if seen(s, t) else -math.inf
                      for t in range(len(q))]
            most = max(scores)
            powers = [math.exp(z - most) for z in scores]
            row += [sum(powers[t] * v[t][g][e] for t in range(len(q))) / sum(powers) for e in range(K)]
        rows.append(row)
    return rows


def heads(row):
    return [row[i : i + K] for i in range(0, len(row), K)]


def gpt2(tok):
    wte, wpe = weight("transformer.wte.weight", V, D), weight("transformer.wpe.weight", P, D)
    layers = []
    for l in range(L):
        p = f"transformer.h.{l}."
        layers.append([weight(p + "ln_1.weight", D), weight(p + "ln_1.bias", D),
                       weight(p + "attn.c_attn.weight", D, 3 * D), weight(p + "attn.c_attn.bias", 3 * D),
                       weight(p + "attn.c_proj.weight", D, D), weight(p + "attn.c_proj.bias", D),
                       weight(p + "ln_2.weight", D), weight(p + "ln_2.bias", D),
                       weight(p + "mlp.c_fc.weight", D, F), weight(p + "mlp.c_fc.bias", F),
                       weight(p + "mlp.c_proj.weight", F, D), weight(p + "mlp.c_proj.bias", D)])
        weight(p + "attn.bias", 1, 1, P, P)  # the mask, which old files keep
    g, c = weight("transformer.ln_f.weight", D), weight("transformer.ln_f.bias", D)

    def gelu(z):
        return 0.5 * z * (1 + math.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z**3)))

    def forward(sample):
        x = [add(wte[t], wpe[s]) for s, t in enumerate(sample)]
        for g1, c1, wa, ba, wp, bp, g2, c2, w1, b1, w2, b2 in layers:
            qkv = [linear(layer_norm(row, g1, c1, 1e-5), wa, ba, False) for row in x]
            q, k, v = ([heads(row[i * D : (i + 1) * D]) for row in qkv] for i in range(3))
            x = [add(row, linear(o, wp, bp, False)) for row, o in zip(x, attend(q, k, v, lambda s, t: t <= s))]
            x = [add(row, linear([gelu(z) for z in linear(layer_norm(row, g2, c2, 1e-5), w1, b1, False)], w2, b2, False))
                 for row in x]
        return [linear(layer_norm(row, g, c, 1e-5), wte) for row in x]

    npy("logits.npy", (B, S, V), [forward(sample) for sample in tok])
    text = tok[0][:2]  # and the likeliest token behind it, three times
    for _ in range(3):
        last = forward(text)[-1]
        text = text + [last.index(max(last))]
    with open(os.path.join(folder, "text"), "w") as file:
        file.write(f"{text[0]},{text[1]} {' '.join(map(str, text[2:]))}\n")
    half = len(weights) // 2
    names = list(weights)
    shards = {"model-00001-of-00002.safetensors": names[:half], "model-00002-of-00002.safetensors": names[half:]}
    for shard, part in shards.items():
        save(shard, part)
    with open(os.path.join(folder, "model.safetensors.index.json"), "w") as file:
        json.dump({"metadata": {}, "weight_map": {name: shard for shard, part in shards.items() for name in part}}, file)


def llama(tok):
    embed = weight("model.embed_tokens.weight", V, D)
    layers = []
    for l in range(L):
        p = f"model.layers.{l}."
        layers.append([weight(p + "input_layernorm.weight", D), weight(p + "self_attn.q_proj.weight", D, D),
                       weight(p + "self_attn.k_proj.weight", G * K, D), weight(p + "self_attn.v_proj.weight", G * K, D),
                       weight(p + "self_attn.o_proj.weight", D, D), weight(p + "post_attention_layernorm.weight", D),
                       weight(p + "mlp.gate_proj.weight", F, D), weight(p + "mlp.up_proj.weight", F, D),
                       weight(p + "mlp.down_proj.weight", D, F)])
        weight(p + "self_attn.rotary_emb.inv_freq", K // 2)
    norm = weight("model.norm.weight", D)

    def rotate(head, s):
        half = K // 2
        turned = [-a for a in head[half:]] + head[:half]
        angles = [s / 10000 ** (2 * (i % half) / K) for i in range(K)]
        return [a * math.cos(w) + b * math.sin(w) for a, b, w in zip(head, turned, angles)]

    logits = []
    for sample in tok:
        x = [embed[t] for t in sample]
        for g1, wq, wk, wv, wo, g2, gate, up, down in layers:
            n = [rms_norm(row, g1) for row in x]
            q, k = ([[rotate(h, s) for h in heads(linear(row, w))] for s, row in enumerate(n)] for w in (wq, wk))
            v = [heads(linear(row, wv)) for row in n]
            x = [add(row, linear(o, wo)) for row, o in zip(x, attend(q, k, v, lambda s, t: t <= s))]
            for s, row in enumerate(x):
                n = rms_norm(row, g2)
                x[s] = add(row, linear([u / (1 + math.exp(-u)) * w for u, w in zip(linear(n, gate), linear(n, up))], down))
        logits.append([linear(rms_norm(row, norm), embed) for row in x])
    npy("logits.npy", (B, S, V), logits)
    save("model.safetensors", weights)


def bert(tok):
    p = "bert.embeddings."
    word, position = weight(p + "word_embeddings.weight", V, D), weight(p + "position_embeddings.weight", P, D)
    segments = weight(p + "token_type_embeddings.weight", 2, D)
    g, c = weight(p + "LayerNorm.gamma", D), weight(p + "LayerNorm.beta", D)
    layers = []
    for l in range(L):
        p = f"bert.encoder.layer.{l}."
        layers.append([weight(p + f"attention.self.{name}.{part}", *([D, D] if part == "weight" else [D]))
                       for name in ("query", "key", "value") for part in ("weight", "bias")] +
                      [weight(p + "attention.output.dense.weight", D, D), weight(p + "attention.output.dense.bias", D),
                       weight(p + "attention.output.LayerNorm.weight", D), weight(p + "attention.output.LayerNorm.bias", D),
                       weight(p + "intermediate.dense.weight", F, D), weight(p + "intermediate.dense.bias", F),
                       weight(p + "output.dense.weight", D, F), weight(p + "output.dense.bias", D),
                       weight(p + "output.LayerNorm.weight", D), weight(p + "output.LayerNorm.bias", D)])
    pool, offset = weight("bert.pooler.dense.weight", D, D), weight("bert.pooler.dense.bias", D)
    weight("cls.predictions.bias", V)
    weight("cls.predictions.transform.dense.weight", D, D)
    weight("cls.seq_relationship.weight", 2, D)
    segment = [[draw.randrange(2) for _ in range(S)] for _ in range(B)]
    mask = [[1] * S, [1] * (S - 2) + [0, 0]]

    hidden, pooled = [], []
    for sample, kinds, seen in zip(tok, segment, mask):
        x = [layer_norm(add(add(word[t], segments[kinds[s]]), position[s]), g, c, 1e-12) for s, t in enumerate(sample)]
        for wq, bq, wk, bk, wv, bv, wo, bo, g1, c1, w1, b1, w2, b2, g2, c2 in layers:
            q, k, v = ([heads(linear(row, w, b)) for row in x] for w, b in ((wq, bq), (wk, bk), (wv, bv)))
            o = attend(q, k, v, lambda s, t: seen[t])
            x = [layer_norm(add(row, linear(part, wo, bo)), g1, c1, 1e-12) for row, part in zip(x, o)]
            inner = [[0.5 * z * (1 + math.erf(z / math.sqrt(2))) for z in linear(row, w1, b1)] for row in x]
            x = [layer_norm(add(row, linear(part, w2, b2)), g2, c2, 1e-12) for row, part in zip(x, inner)]
        hidden.append(x)
        pooled.append([math.tanh(z) for z in linear(x[0], pool, offset)])
    npy("segment.npy", (B, S), segment, "<i8")
    npy("mask.npy", (B, S), mask, "<i8")
    npy("hidden.npy", (B, S, D), hidden)
    npy("pooled.npy", (B, D), pooled)
    save("model.safetensors", weights)


tokens = [[draw.randrange(V) for _ in range(S)] for _ in range(B)]
npy("tok.npy", (B, S), tokens, "<i8")
{"gpt2": gpt2, "llama": llama, "bert": bert}[kind](tokens)
