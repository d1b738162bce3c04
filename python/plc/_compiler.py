"""Runs plc-compile: from a model's file, a PyTorch module or a JAX function to a module that runs."""
from __future__ import annotations

import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import warnings
from typing import Any, Iterable, List, Mapping, Optional, Sequence, Union

from ._errors import Error, usage_error
from ._library import program
from ._model import Model
from ._weights import OriginalNames, read_metadata, toml

Path = Union[str, "os.PathLike[str]"]


def compile(model: Any, example_inputs: Union[Sequence[Any], Mapping[str, Any], None] = None, *,
            strategy: Union[Path, Mapping[str, Any], None] = None, settings: Optional[Mapping[str, Any]] = None,
            dims: Optional[Mapping[str, int]] = None, config: Union[Path, Mapping[str, Any], None] = None,
            map: Optional[Path] = None, entry: Optional[str] = None, outputs: Iterable[str] = (),
            rates: Optional[str] = None, output: Optional[Path] = None, loss: Optional[str] = None,
            **options: Any) -> Model:
    """Compiles a model by plc-compile, and loads the module.

    model           a file (`.ein`, `.pt2`); a torch.nn.Module or ExportedProgram; or a JAX function
    example_inputs  the arguments of a PyTorch module or a JAX function, whose shapes are those of the compiled model;
                    of a module also by their names
    strategy        a file (`.toml`), or keys and values: {"parallelism.stages": 2} or {"parallelism": {"stages": 2}}
    settings        further keys, which go before those of the file
    dims            sizes of the file's `dim`s: {"L": 4}
    config, map     sizes from the config.json of a checkpoint, a file or its keys and values; `map` is the file whose
                    `[sizes]` say which key is which `dim`. `dims` go before them
    entry           the model of the file, if it has several
    outputs         what one more entry gives: outputs, "grad(x)", values of rules as "attention.3.p"
    rates           "measured" or "shipped", as of plc-compile --rates
    output          where the module is written (`.plcm`); else it lives as long as the model
    loss            what a PyTorch model is trained by: "cross_entropy(output, label)", if it returns no loss itself
    options         of `plc.load`

    A warning of the compiler is a Python warning. Raises plc.Error.
    """
    arguments = _strategy_arguments(strategy, settings or {})
    arguments += [argument for name, size in (dims or {}).items() for argument in ("-D", f"{name}={size}")]
    arguments += [argument for name in outputs for argument in ("--output", name)]
    arguments += ["--entry", entry] if entry else []
    arguments += ["--rates", rates] if rates else []
    arguments += ["--map", os.fspath(map)] if map else []
    scratch = tempfile.mkdtemp(prefix="plc-")
    try:
        if isinstance(config, Mapping):
            text, config = json.dumps(config), os.path.join(scratch, "config.json")
            pathlib.Path(config).write_text(text, encoding="utf-8")
        arguments += ["--config", os.fspath(config)] if config else []
        source = _source(model, example_inputs, pathlib.Path(scratch))
        is_jax = source.endswith(".mlir") and not isinstance(model, (str, os.PathLike))
        imported = Imported(source, loss, scratch) if source.endswith(".pt2") or is_jax else None
        if loss and not imported:
            raise usage_error("loss is for imported models; a file of rules has its own")
        arguments.insert(0, imported.rules if imported else source)
        module = os.path.abspath(output) if output else os.path.join(scratch, "module.plcm")
        run_compiler([*arguments, "-o", module])
        compiled = Model(module, scratch=scratch, **options)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    compiled._explain = lambda: json.loads(run_compiler([*arguments, "--emit=json"]))
    if imported and is_jax:
        compiled.load(_leaves(example_inputs or ()), map=imported.map)
    elif imported:
        compiled.load(imported.weights)
        if weights := getattr(model, "state_dict", None):
            state = weights() if callable(weights) else weights
            compiled._names = OriginalNames(imported.names, state)
    return compiled


class Imported:
    """The rules of a model, the names that its parameters had, and of an archive its weights."""

    def __init__(self, source: str, loss: Optional[str], folder: str) -> None:
        self.rules = os.path.join(folder, "model.ein")
        self.map = os.path.join(folder, "model.toml")
        self.weights = os.path.join(folder, "model.safetensors")
        has_weights = source.endswith(".pt2")
        run_compiler([source, "--emit=ein-source", "-o", self.rules, "--map-out", self.map,
                      *(["--params", self.weights] if has_weights else []), *(["--loss", loss] if loss else [])])
        self.names = read_metadata(self.weights) if has_weights else {}


def _leaves(arguments: Sequence[Any]) -> dict:
    """The leaves of arguments that are pytrees by their paths, as StableHLO names them: "h.0.w"."""
    util = importlib.import_module("jax").tree_util
    steps = ("key", "idx", "name")
    return {".".join(str(next(getattr(step, name) for name in steps if hasattr(step, name))) for step in path): leaf
            for argument in arguments for path, leaf in util.tree_flatten_with_path(argument)[0] if path}


def run_compiler(arguments: Sequence[str]) -> str:
    """What plc-compile prints. Raises its errors, and warns of its warnings."""
    done = subprocess.run([program("plc-compile"), *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace")
    if done.returncode:
        raise Error(done.stderr or f"plc-compile: error: ended by signal {-done.returncode}",
                    done.returncode if done.returncode > 0 else 70)
    for line in done.stderr.split("\n"):
        if "warning: " in line:
            warnings.warn(line, stacklevel=3)
    return done.stdout


def _source(model: Any, example_inputs: Any, folder: pathlib.Path) -> str:
    """The file that plc-compile reads."""
    if isinstance(model, (str, os.PathLike)):
        if example_inputs is not None:
            raise usage_error("example_inputs belong to a PyTorch module or a JAX function, found a file")
        return os.fspath(model)
    torch = sys.modules.get("torch")
    if torch and isinstance(model, (torch.nn.Module, torch.export.ExportedProgram)):
        return _export_torch(torch, model, example_inputs, folder / "model.pt2")
    if callable(model):
        return _lower_jax(model, example_inputs, folder / "model.mlir")
    raise usage_error(f"found a model of type '{type(model).__name__}', expected a file, a torch.nn.Module or a JAX "
                      "function")


def _need_inputs(example_inputs: Optional[Sequence[Any]], what: str) -> tuple:
    if example_inputs is None:
        raise usage_error(f"{what} needs example_inputs, a tuple of its arguments")
    return tuple(example_inputs)


def _export_torch(torch: Any, model: Any, example_inputs: Any, file: pathlib.Path) -> str:
    """A module as an archive of torch.export."""
    if isinstance(model, torch.nn.Module):
        named = dict(example_inputs) if isinstance(example_inputs, Mapping) else None
        inputs = () if named is not None else _need_inputs(example_inputs, "a PyTorch module")
        with torch.no_grad():  # else the graph has every change between gradients and none as an operator
            model = torch.export.export(model, inputs, named)
    torch.export.save(model, file)
    return str(file)


def _lower_jax(function: Any, example_inputs: Optional[Sequence[Any]], file: pathlib.Path) -> str:
    """A function as StableHLO in MLIR's generic form, with the names of its layers as locations."""
    inputs = _need_inputs(example_inputs, "a JAX function")
    try:
        jax = importlib.import_module("jax")
    except ImportError as error:
        raise usage_error(f"a function needs JAX: {error}") from error
    lowered = jax.jit(function).lower(*inputs).compiler_ir("stablehlo")
    file.write_text(lowered.operation.get_asm(print_generic_op_form=True, enable_debug_info=True))
    return str(file)


def _strategy_arguments(strategy: Union[Path, Mapping[str, Any], None], settings: Mapping[str, Any]) -> List[str]:
    arguments: List[str] = []
    if isinstance(strategy, Mapping):
        settings = {**_flat(strategy), **_flat(settings)}
    else:
        arguments += ["--strategy", os.fspath(strategy)] if strategy is not None else []
        settings = _flat(settings)
    return arguments + [word for key, value in settings.items() for word in ("--set", f"{key}={toml(value)}")]


def _flat(settings: Mapping[str, Any], prefix: str = "") -> dict:
    """{"a": {"b": 1}} as {"a.b": 1}."""
    flat: dict = {}
    for key, value in settings.items():
        flat.update(_flat(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {prefix + key: value})
    return flat
