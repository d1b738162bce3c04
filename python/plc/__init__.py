"""Compiles models by plc, and runs and trains them. docs/python.md begins with an example.

    import plc
    m = plc.compile("gpt.ein", strategy="gpt.toml", dims={"L": 4})
    loss = m.train_step(tok=tok, next=next)
"""
from . import _library
from ._compiler import compile
from ._errors import Diagnostic, Error
from ._model import Model, load
from ._tensors import TensorInfo

__all__ = ["Diagnostic", "Error", "Model", "TensorInfo", "compile", "load", "version"]


def version() -> str:
    """The version of the runtime, such as "0.1.0"."""
    return _library.library().plc_version().decode()
