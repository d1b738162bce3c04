"""make_jax.py FOLDER: writes the StableHLO that tests of the reader use, by JAX 0.10. Tests themselves need no JAX."""
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy

HERE = pathlib.Path(__file__).resolve().parent


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


zeros = lambda *shape: numpy.zeros(shape, "f")
parameters = {"emb": zeros(5, 4), "h": [{"qkv": zeros(4, 12)}]}
module = jax.jit(decoder).lower(parameters, numpy.zeros((2, 3), "i")).compiler_ir()
text = module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
(pathlib.Path(sys.argv[1]) / "decoder.mlir").write_text(text.replace(str(HERE), "models"))
