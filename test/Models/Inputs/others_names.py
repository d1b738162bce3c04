"""others_names.py MODEL.ein GOLDEN.safetensors FOLDER: the parameters of a golden model (drawn.py) under the names and in the
layouts of Hugging Face's checkpoints, FOLDER/model.safetensors, as those files are written: matrices [out, in], queries, keys
and values of BLOOM head by head in one, an expert of Mixtral by itself. With a tensor of each kind that the map ignores."""
import json
import math
import pathlib
import struct
import sys

from drawn import parameters, values


def flat(value):
    return [x for each in value for x in flat(each)] if isinstance(value, list) else [value]


def nest(numbers, shape):
    if len(shape) < 2:
        return numbers
    step = len(numbers) // shape[0]
    return [nest(numbers[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])]


class Checkpoint:
    def __init__(self, model, flags):
        self.own = {name: (shape, values(name, shape)) for name, shape, _ in parameters(model, flags)}
        self.tensors = {}

    def turns(self, prefix):
        return range(sum(name.startswith(prefix) and name.endswith(".g") for name in self.own))

    def put(self, name, shape, numbers):
        self.tensors[name] = (shape, flat(numbers))

    def same(self, name, own, shape=None):
        self.put(name, shape or self.own[own][0], self.own[own][1])

    def rows(self, own, inputs=1):
        """A matrix by its columns, [out, in]: the first `inputs` axes of the parameter are what comes in."""
        shape, numbers = self.own[own]
        matrix = nest(numbers, [math.prod(shape[:inputs]), math.prod(shape[inputs:])])
        return [list(column) for column in zip(*matrix)]

    def linear(self, name, own, inputs=1):
        matrix = self.rows(own, inputs)
        self.put(name, [len(matrix), len(matrix[0])], matrix)

    def save(self, file):
        header, data = {"__metadata__": {"format": "pt"}}, b""
        for name, (shape, numbers) in self.tensors.items():
            part = struct.pack(f"<{len(numbers)}f", *numbers)
            header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(part)]}
            data += part
        text = json.dumps(header).encode()
        file.write_bytes(struct.pack("<Q", len(text)) + text + data)


def vit(c):
    c.same("vit.embeddings.patch_embeddings.projection.weight", "embed.w")
    c.same("vit.embeddings.patch_embeddings.projection.bias", "embed.o")
    c.same("vit.embeddings.cls_token", "embed.first", [1, 1, *c.own["embed.first"][0]])
    c.same("vit.embeddings.position_embeddings", "embed.position", [1, *c.own["embed.position"][0]])
    for l in c.turns("attend."):
        p, a, f = f"vit.encoder.layer.{l}.", f"attend.{l}.", f"ffn.{l}."
        for theirs, own in (("query", "q"), ("key", "k"), ("value", "v")):
            c.linear(f"{p}attention.attention.{theirs}.weight", f"{a}w{own}")
            c.same(f"{p}attention.attention.{theirs}.bias", f"{a}b{own}", [math.prod(c.own[f"{a}b{own}"][0])])
        c.linear(p + "attention.output.dense.weight", a + "wo", 2)
        c.same(p + "attention.output.dense.bias", a + "bo")
        for theirs, own in (("layernorm_before", a), ("layernorm_after", f)):
            c.same(f"{p}{theirs}.weight", own + "g")
            c.same(f"{p}{theirs}.bias", own + "c")
        for theirs, own in (("intermediate", "1"), ("output", "2")):
            c.linear(f"{p}{theirs}.dense.weight", f"{f}w{own}")
            c.same(f"{p}{theirs}.dense.bias", f"{f}b{own}")
    c.same("vit.layernorm.weight", "head.g")
    c.same("vit.layernorm.bias", "head.c")
    c.linear("classifier.weight", "head.w")
    c.same("classifier.bias", "head.o")
    c.put("vit.pooler.dense.bias", [2], [0, 0])


def bloom(c):
    c.same("transformer.word_embeddings.weight", "embed.w")
    for part, own in (("weight", "g"), ("bias", "c")):
        c.same(f"transformer.word_embeddings_layernorm.{part}", f"embed.{own}")
        c.same(f"transformer.ln_f.{part}", f"head.{own}")
    for l in c.turns("attend."):
        p, a, f = f"transformer.h.{l}.", f"attend.{l}.", f"ffn.{l}."
        heads, numbers = c.own[a + "wq"][0][1:]
        # Of each head the rows that make its query, those of its key, those of its value.
        parts, offsets = [c.rows(a + w) for w in ("wq", "wk", "wv")], [c.own[a + b][1] for b in ("bq", "bk", "bv")]
        order = [(part, h * numbers + k) for h in range(heads) for part in range(3) for k in range(numbers)]
        joined = [parts[part][row] for part, row in order]
        c.put(p + "self_attention.query_key_value.weight", [len(joined), len(joined[0])], joined)
        c.put(p + "self_attention.query_key_value.bias", [len(joined)], [offsets[part][row] for part, row in order])
        c.linear(p + "self_attention.dense.weight", a + "wo", 2)
        c.same(p + "self_attention.dense.bias", a + "bo")
        for theirs, own in (("input_layernorm", a), ("post_attention_layernorm", f)):
            c.same(f"{p}{theirs}.weight", own + "g")
            c.same(f"{p}{theirs}.bias", own + "c")
        for theirs, own in (("dense_h_to_4h", "1"), ("dense_4h_to_h", "2")):
            c.linear(f"{p}mlp.{theirs}.weight", f"{f}w{own}")
            c.same(f"{p}mlp.{theirs}.bias", f"{f}b{own}")
    c.same("lm_head.weight", "embed.w")


def mixtral(c):
    c.same("model.embed_tokens.weight", "embed.w")
    for l in c.turns("attend."):
        p, a, e = f"model.layers.{l}.", f"attend.{l}.", f"experts.{l}."
        for own in "qkv":
            c.linear(f"{p}self_attn.{own}_proj.weight", f"{a}w{own}")
        c.linear(p + "self_attn.o_proj.weight", a + "wo", 2)
        c.same(p + "input_layernorm.weight", a + "g")
        c.same(p + "post_attention_layernorm.weight", e + "g")
        c.linear(p + "block_sparse_moe.gate.weight", e + "gate")
        for own in ("w1", "w2", "w3"):
            shape, numbers = c.own[e + own]
            for i, matrix in enumerate(nest(numbers, shape)):
                c.put(f"{p}block_sparse_moe.experts.{i}.{own}.weight", [shape[2], shape[1]], [list(row) for row in zip(*matrix)])
    c.same("model.norm.weight", "head.g")
    c.same("lm_head.weight", "head.w")


def t5(c):
    for name in ("shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"):
        c.same(name, "embed.w")
    for side, last in (("encoder", 1), ("decoder", 2)):
        c.same(f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight", f"{side}.biases.w")
        c.same(f"{side}.final_layer_norm.weight", f"{side}.norm.g")
        for l in c.turns(f"{side}.self."):
            p = f"{side}.block.{l}.layer."
            kinds = [(0, "SelfAttention", "self"), (1, "EncDecAttention", "cross")][:last]
            for at, theirs, own in kinds:
                for part in "qkvo":
                    c.linear(f"{p}{at}.{theirs}.{part}.weight", f"{side}.{own}.{l}.w{part}", 2 if part == "o" else 1)
                c.same(f"{p}{at}.layer_norm.weight", f"{side}.{own}.{l}.g")
            c.linear(f"{p}{last}.DenseReluDense.wi.weight", f"{side}.ffn.{l}.w1")
            c.linear(f"{p}{last}.DenseReluDense.wo.weight", f"{side}.ffn.{l}.w2")
            c.same(f"{p}{last}.layer_norm.weight", f"{side}.ffn.{l}.g")
    c.same("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight", "decoder.biases.w")


def mamba(c):
    c.same("backbone.embeddings.weight", "embed.w")
    for l in c.turns("mix."):
        p, m = f"backbone.layers.{l}.", f"mix.{l}."
        c.same(p + "norm.weight", m + "g")
        for theirs, own in (("in_proj", ("inside", "gate")), ("x_proj", ("down", "into", "from"))):
            joined = [row for part in own for row in c.rows(m + part)]
            c.put(f"{p}mixer.{theirs}.weight", [len(joined), len(joined[0])], joined)
        (channels, window), numbers = c.own[m + "window"]
        c.put(p + "mixer.conv1d.weight", [channels, 1, window], numbers)
        c.same(p + "mixer.conv1d.bias", m + "shift")
        c.linear(p + "mixer.dt_proj.weight", m + "up")
        c.same(p + "mixer.dt_proj.bias", m + "step")
        c.same(p + "mixer.A_log", m + "decay")
        c.same(p + "mixer.D", m + "skip")
        c.linear(p + "mixer.out_proj.weight", m + "outside")
    c.same("backbone.norm_f.weight", "head.g")
    c.same("lm_head.weight", "embed.w")


def main():
    model, golden, folder = (pathlib.Path(word) for word in sys.argv[1:])
    data = golden.read_bytes()
    header = json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])
    checkpoint = Checkpoint(model, header["__metadata__"]["flags"].split())
    {"vit": vit, "bloom": bloom, "mixtral": mixtral, "t5": t5, "mamba": mamba}[model.stem](checkpoint)
    folder.mkdir(parents=True, exist_ok=True)
    checkpoint.save(folder / "model.safetensors")


main()
