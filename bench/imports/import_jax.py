"""import_jax.py [NAME..]: imports small models that are written by hand in JAX, and compares with JAX.

For each model: StableHLO's operators, lines of the rules, the difference of the result, whether one and two stages give the same bits,
and of models that return a loss the difference of its gradients. Results go to import_jax.csv beside this file. Needs jax, numpy;
programs of plc are taken from PATH.
"""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

import jax
import jax.numpy as jnp
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from plc._weights import write_state_dict

DRAW = numpy.random.default_rng(0)


def weights(*shape):
    return (0.3 * DRAW.standard_normal(shape)).astype("f")


def dense(inputs, outputs):
    return {"w": weights(inputs, outputs), "b": weights(outputs)}


def apply(p, x):
    return x @ p["w"] + p["b"]


def norm(p, x):
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * p["g"] + p["b"]


def gains(d):
    return {"g": 1 + weights(d), "b": weights(d)}


def mlp(p, x):
    for layer in p["layers"][:-1]:
        x = jax.nn.relu(apply(layer, x))
    return apply(p["layers"][-1], x)


def convolve(w, x, stride=1, groups=1):
    return jax.lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups)


def pool(x, start, combine):
    return jax.lax.reduce_window(x, start, combine, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def cnn(p, x):
    x = pool(jax.nn.relu(convolve(p["a"]["w"], x) + p["a"]["b"]), -jnp.inf, jax.lax.max)
    x = pool(jax.nn.relu(convolve(p["c"]["w"], x, 2) + p["c"]["b"]), 0.0, jax.lax.add) / 4
    return apply(p["head"], x.reshape(x.shape[0], -1))


def depthwise(p, x):
    for block in p["blocks"]:
        y = jax.nn.gelu(convolve(block["deep"], x, groups=x.shape[-1]))
        x = x + convolve(block["point"], y)
    return apply(p["head"], x.mean((1, 2)))


def heads(x, count):
    return x.reshape(*x.shape[:-1], count, x.shape[-1] // count)


def attend(p, x, causal):
    q, k, v = (heads(apply(p[name], x), 2) for name in "qkv")
    scores = jnp.einsum("bshk,bthk->bhst", q, k) / jnp.sqrt(q.shape[-1])
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -jnp.inf)
    return apply(p["o"], jnp.einsum("bhst,bthk->bshk", jax.nn.softmax(scores), v).reshape(x.shape))


def block(p, x, causal):
    x = x + attend(p["attention"], norm(p["norm1"], x), causal)
    return x + apply(p["down"], jax.nn.gelu(apply(p["up"], norm(p["norm2"], x))))


def block_weights(d=8):
    return {"attention": {name: dense(d, d) for name in "qkvo"}, "up": dense(d, 2 * d), "down": dense(2 * d, d), "norm1": gains(d), "norm2": gains(d)}


def decoder(p, tok):
    x = p["embedding"][tok] + p["positions"][: tok.shape[1]]
    for i, each in enumerate(p["blocks"]):
        with jax.named_scope(f"blocks.{i}"):
            x = block(each, x, True)
    return norm(p["norm"], x) @ p["embedding"].T


def loss_of(logits, label):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), label[..., None], -1).mean()


def decoder_loss(p, tok, label):
    return loss_of(decoder(p, tok), label)


def vit(p, image):
    b, h, w, c = image.shape
    x = image.reshape(b, h // 4, 4, w // 4, 4, c).transpose(0, 1, 3, 2, 4, 5).reshape(b, -1, 16 * c)
    x = apply(p["patch"], x)
    x = jnp.concatenate([jnp.broadcast_to(p["cls"], (b, 1, x.shape[-1])), x], 1) + p["positions"]
    for i, each in enumerate(p["blocks"]):
        with jax.named_scope(f"blocks.{i}"):
            x = block(each, x, False)
    return apply(p["head"], norm(p["norm"], x)[:, 0])


def mixer(p, x):
    for each in p["blocks"]:
        y = norm(each["norm1"], x).swapaxes(1, 2)
        x = x + apply(each["token"][1], jax.nn.gelu(apply(each["token"][0], y))).swapaxes(1, 2)
        x = x + apply(each["channel"][1], jax.nn.gelu(apply(each["channel"][0], norm(each["norm2"], x))))
    return apply(p["head"], x.mean(1))


def lstm(p, x):
    def step(carry, x):
        h, c = carry
        i, f, g, o = jnp.split(apply(p["input"], x) + h @ p["state"], 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros((x.shape[0], p["state"].shape[0]))
    _, y = jax.lax.scan(step, (zero, zero), x.swapaxes(0, 1))
    return apply(p["head"], y.swapaxes(0, 1))


def gru(p, x):
    def step(h, x):
        a, u = apply(p["input"], x), apply(p["state"], h)
        r, z = (jax.nn.sigmoid(a[:, i] + u[:, i]) for i in (slice(0, 6), slice(6, 12)))
        h = (1 - z) * jnp.tanh(a[:, 12:] + r * u[:, 12:]) + z * h
        return h, h

    h, _ = jax.lax.scan(step, jnp.zeros((x.shape[0], 6)), x.swapaxes(0, 1))
    return apply(p["head"], h)


def batch_norm(p, x):
    for each in p["blocks"]:
        y = convolve(each["w"], x)
        x = jax.nn.relu((y - each["mean"]) / jnp.sqrt(each["variance"] + 1e-5) * each["g"] + each["b"])
    return apply(p["head"], x.mean((1, 2)))


def turned(x):
    a, b = jnp.split(x, 2, -1)
    angle = jnp.arange(x.shape[1])[:, None] * 10000.0 ** (-jnp.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = (f(jnp.concatenate([angle, angle], -1))[:, None] for f in (jnp.cos, jnp.sin))
    return x * cos + jnp.concatenate([-b, a], -1) * sin


def rope(p, x):
    q, k, v = (heads(x @ p[name], 2) for name in "qkv")
    scores = jnp.einsum("bshk,bthk->bhst", turned(q), turned(k)) * q.shape[-1] ** -0.5
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e30)
    return jnp.einsum("bhst,bthk->bshk", jax.nn.softmax(scores), v).reshape(x.shape) @ p["o"]


def classify(p, tok, label):
    return loss_of(apply(p["head"], jnp.tanh(p["embedding"][tok].mean(1))), label)


def linen(p, x):
    """The pytree that flax has: nested mappings, kernel and bias."""
    p = p["params"]
    for name in ("Dense_0", "Dense_1"):
        with jax.named_scope(name):
            x = jax.nn.silu(x @ p[name]["kernel"] + p[name]["bias"])
    with jax.named_scope("LayerNorm_0"):
        x = norm({"g": p["LayerNorm_0"]["scale"], "b": p["LayerNorm_0"]["bias"]}, x)
    return x @ p["Dense_2"]["kernel"] + p["Dense_2"]["bias"]


def real(*shape):
    return DRAW.standard_normal(shape).astype("f")


def tokens(*shape, count=11):
    return DRAW.integers(0, count, shape).astype("i")


def kernel(inputs, outputs, side=3):
    return {"w": weights(side, side, inputs, outputs), "b": weights(outputs)}


def text_weights(d=8):
    return {"embedding": weights(11, d), "positions": weights(7, d), "blocks": [block_weights(d), block_weights(d)], "norm": gains(d)}


def mixer_weights(s=6, d=8):
    return {"norm1": gains(d), "norm2": gains(d), "token": [dense(s, 10), dense(10, s)], "channel": [dense(d, 12), dense(12, d)]}


def linen_weights():
    named = lambda p: {"kernel": p["w"], "bias": p["b"]}
    return {"params": {"Dense_0": named(dense(6, 8)), "Dense_1": named(dense(8, 8)), "Dense_2": named(dense(8, 3)),
                       "LayerNorm_0": {"scale": weights(8), "bias": weights(8)}}}


def normed(c):
    return {"w": weights(3, 3, c, c), "mean": weights(c), "variance": 1 + weights(c) ** 2, "g": weights(c), "b": weights(c)}


# name: function, parameters, inputs
MODELS = {
    "mlp": (mlp, {"layers": [dense(6, 8), dense(8, 8), dense(8, 3)]}, [real(4, 6)]),
    "cnn": (cnn, {"a": kernel(3, 4), "c": kernel(4, 6), "head": dense(24, 5)}, [real(2, 16, 16, 3)]),
    "decoder": (decoder, text_weights(), [tokens(2, 5)]),
    "decoder_loss": (decoder_loss, text_weights(), [tokens(2, 5), tokens(2, 5)]),
    "linen": (linen, linen_weights(), [real(4, 6)]),
    "lstm": (lstm, {"input": dense(5, 24), "state": weights(6, 24), "head": dense(6, 3)}, [real(2, 9, 5)]),
    "gru": (gru, {"input": dense(5, 18), "state": dense(6, 18), "head": dense(6, 3)}, [real(2, 9, 5)]),
    "vit": (vit, {"patch": dense(48, 8), "cls": weights(8), "positions": weights(5, 8), "blocks": [block_weights(), block_weights()],
                  "norm": gains(8), "head": dense(8, 5)}, [real(2, 8, 8, 3)]),
    "mixer": (mixer, {"blocks": [mixer_weights(), mixer_weights()], "head": dense(8, 3)}, [real(2, 6, 8)]),
    "batch_norm": (batch_norm, {"blocks": [normed(4), normed(4)], "head": dense(4, 3)}, [real(2, 8, 8, 4)]),
    "rope": (rope, {name: weights(8, 8) for name in "qkvo"}, [real(2, 5, 8)]),
    "classify": (classify, {"embedding": weights(11, 8), "head": dense(8, 3)}, [tokens(4, 5), tokens(4, count=3)]),
    "depthwise": (depthwise, {"blocks": [{"deep": weights(3, 3, 1, 4), "point": weights(1, 1, 4, 4)} for _ in range(2)], "head": dense(4, 3)},
                  [real(2, 6, 6, 4)]),
}


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError((done.stdout + done.stderr).strip()[:600])


def text_of(function, *arguments):
    """StableHLO as the importer reads it."""
    return jax.jit(function).lower(*arguments).compiler_ir().operation.get_asm(print_generic_op_form=True, enable_debug_info=True)


def named(tree):
    """Leaves by the path that the importer gives them."""
    key = lambda step: str(getattr(step, "key", getattr(step, "idx", step)))
    return {".".join(map(key, path)): numpy.ascontiguousarray(leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(tree)}


def difference(expected, found):
    return float(abs(expected - found.reshape(expected.shape)).max() / max(1, abs(expected).max()))


def measure(name, scratch):
    function, parameters, inputs = MODELS[name]
    graph, rules, names, stored = (scratch / f"{name}.{end}" for end in ("mlir", "ein", "toml", "safetensors"))
    graph.write_text(text_of(function, parameters, *inputs))
    write_state_dict(stored, named(parameters))
    run("plc-compile", graph, "--emit=ein-source", "-o", rules, "--map-out", names)
    text = rules.read_text()
    row = {"model": name, "operators": len(re.findall(r'"stablehlo\.\w+"', graph.read_text())),
           "lines": sum(bool(line.strip()) and not line.startswith("#") for line in text.splitlines())}
    header = re.search(r"^model \w+\((.*)\) -> (.*) \{", text, re.M)
    arguments, results = ([word.split(":")[0].strip() for word in re.sub(r"\[[^]]*\]", "", part).split(",")] for part in header.groups())
    options = ["--params", stored, "--map", names]
    for argument, value in zip(arguments, inputs, strict=True):
        numpy.save(scratch / f"{argument}.npy", value)
        options += ["--input", f"{argument}=@{scratch}/{argument}.npy"]
    if results == ["loss"]:
        expected, gradients = jax.value_and_grad(function)(parameters, *inputs)
        paths = dict(re.findall(r'^"(.*?)" = (?:\{ from = )?"(.*?)"', names.read_text(), re.M))
        gradients = named(gradients)
        wanted = {f"grad({path})": gradients[source] for path, source in paths.items()}
    else:
        expected, wanted = function(parameters, *inputs), {}
    found = []
    for stages in (1, 2) if len(re.findall(r"^layer ", text, re.M)) > 1 else (1,):
        outputs = [word for i, each in enumerate([results[0], *wanted]) for word in ("--output", f"{each}=@{scratch}/out{i}.npy")]
        run("plc-run", "infer", rules, *options, *outputs, "--set", f"parallelism.stages={stages}")
        found.append([numpy.load(scratch / f"out{i}.npy") for i in range(1 + len(wanted))])
    row["difference"] = f"{difference(numpy.asarray(expected), found[0][0]):.1e}"
    row["same_bits"] = all((a == b).all() for a, b in zip(found[0], found[-1]))
    if wanted:
        row["gradients"] = f"{max(difference(a, b) for a, b in zip(wanted.values(), found[0][1:])):.1e}"
    return row


if __name__ == "__main__":
    rows = []
    for name in [word for word in sys.argv[1:] if not word.startswith("--")] or MODELS:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                rows.append(measure(name, pathlib.Path(scratch)))
            except Exception as error:
                rows.append({"model": name, "error": " ".join(str(error).split())[:200]})
        print(rows[-1], flush=True)
    if len(rows) == len(MODELS):
        with open(pathlib.Path(__file__).with_suffix(".csv"), "w", newline="") as file:
            writer = csv.DictWriter(file, ["model", "operators", "lines", "difference", "same_bits", "gradients", "error"])
            writer.writeheader()
            writer.writerows(rows)
