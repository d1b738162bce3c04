"""make_jax.py FOLDER: writes the StableHLO that tests use, by JAX 0.10, some with inputs, parameters and results (.npz). Tests themselves
need no JAX."""
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[3] / "bench/imports"))
import import_jax


def attention(p, x):
    q, k, v = jnp.split(x @ p["qkv"], 3, -1)
    scores = jnp.einsum("bsd,btd->bst", q, k) / 2
    scores = jnp.where(jnp.tril(jnp.ones((3, 3), bool)), scores, -jnp.inf)
    return x + jax.nn.softmax(scores) @ v


def decoder(p, tok):
    x = p["emb"][tok]
    for i, block in enumerate(p["h"]):
        with jax.named_scope(f"h.{i}"):
            x = attention(block, x)
    return {"logits": x @ p["emb"].T, "more": (x.max(-1), x[:, 0])}


def write(name, function, *arguments):
    text = import_jax.text_of(function, *arguments)
    for folder in (HERE, pathlib.Path(import_jax.__file__).resolve().parent):
        text = text.replace(str(folder), "models")
    (folder_out / f"{name}.mlir").write_text(text)


folder_out = pathlib.Path(sys.argv[1])
zeros = lambda *shape: numpy.zeros(shape, "f")
write("decoder", decoder, {"emb": zeros(5, 4), "h": [{"qkv": zeros(4, 12)}]}, numpy.zeros((2, 3), "i"))
for name in ("cnn", "lstm", "gru", "classify"):
    function, parameters, inputs = import_jax.MODELS[name]
    write(f"jax-{name}", function, parameters, *inputs)
    data = {f"param:{path}": value for path, value in import_jax.named(parameters).items()}
    arguments = function.__code__.co_varnames[1 : 1 + len(inputs)]
    data |= {f"in:{key}": value for key, value in zip(arguments, inputs)}
    result = numpy.asarray(function(parameters, *inputs))
    if result.ndim == 0:
        data["loss"] = result
        data |= {f"grad:{path}": value for path, value in import_jax.named(jax.grad(function)(parameters, *inputs)).items()}
    else:
        data["out:0"] = result
    numpy.savez_compressed(folder_out / f"jax-{name}.npz", **data)
