"""Small models for the tests, compiled once, and the package of this source tree."""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "python"))
os.environ.setdefault("PLC_RATES", "shipped")  # plans are the same on every machine
os.environ.setdefault("PLC_THREADS_PER_STAGE", "1")

import numpy
import pytest

import plc

# A language model of bytes, a model that draws, one that keeps a state, one of many types, and one of bf16.
MODELS = {
    "text": """
dim B = 4, S = 8, V = 256, D = 16, L = 2
batch B
layer embed(tok: i32[B, S]) -> x[B, S, D] {
  param w[V, D] ~ normal(0.1)
  x[b, s, d] = w[tok[b, s], d]
}
layer dense(x[B, S, D]) -> y[B, S, D] {
  param w[D, D] ~ normal(0.1)
  y[b, s, e] = x[b, s, e] + max(x[b, s, d] * w[d, e], 0)
}
layer head(x[B, S, D]) -> logits[B, S, V] {
  param w[D, V] ~ normal(0.1)
  logits[b, s, v] = x[b, s, d] * w[d, v]
}
model text(tok: i32[B, S], next: i32[B, S]) -> loss, logits[B, S, V] {
  use std.nn
  x = embed(tok)
  repeat L { x = dense(x) }
  logits = head(x)
  loss = mean[b, s](cross_entropy[v](logits[b, s, v], next[b, s]))
}
""",
    "draws": """
dim B = 4
batch B
layer lin(x[B]) -> y[B] {
  param w[2] = 1
  u[b: B] = random()
  y[b] = x[b] * (w[0] + w[1] * u[b])
}
model draws(x[B]) -> loss, y[B] {
  y = lin(x)
  loss = mean[b](log(y[b]))
}
""",
    "sums": """
dim N = 4
layer sum_up(x[N]) -> y[N] {
  state total[N] = 0.5
  y = total + x
  next total = y
}
model sums(x[N]) -> total[N] { total = sum_up(x) }
""",
    "types": """
dim N = 3
layer same(a: f64[N], b: i64[N], c: bool[N], d: f16[N], e: bf16[N], f: i8[N]) -> \
a2: f64[N], b2: i64[N], c2: bool[N], d2: f16[N], e2: bf16[N], f2: i8[N] {
  a2[n] = a[n]
  b2[n] = b[n]
  c2[n] = c[n]
  d2[n] = d[n]
  e2[n] = e[n]
  f2[n] = f[n]
}
model types(a: f64[N], b: i64[N], c: bool[N], d: f16[N], e: bf16[N], f: i8[N]) -> \
a2: f64[N], b2: i64[N], c2: bool[N], d2: f16[N], e2: bf16[N], f2: i8[N] {
  a2, b2, c2, d2, e2, f2 = same(a, b, c, d, e, f)
}
""",
}
MODELS["text"] = "use std.nn\n" + MODELS["text"].replace("  use std.nn\n", "").lstrip()


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder with the files of all models, NAME.ein and compiled NAME.plcm."""
    made = tmp_path_factory.mktemp("models")
    for name, text in MODELS.items():
        file = made / f"{name}.ein"
        file.write_text(text.lstrip())
        plc.compile(file, output=made / f"{name}.plcm").close()
    return made


@pytest.fixture
def text(folder):
    with plc.load(folder / "text.plcm") as model:
        yield model


@pytest.fixture
def draws(folder):
    with plc.load(folder / "draws.plcm") as model:
        yield model


@pytest.fixture
def batch():
    """A batch of the model of text."""
    tokens = numpy.random.default_rng(0).integers(0, 256, (4, 9), dtype="i4")
    return {"tok": tokens[:, :-1].copy(), "next": tokens[:, 1:].copy()}
