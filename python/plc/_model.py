"""A compiled model: its parameters, its steps and its results."""
from __future__ import annotations

import ctypes
import json
import os
import shutil
import tempfile
import weakref
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import _progress
from ._errors import usage_error
from ._generate import Prompt, generate
from ._library import OptionsStruct, check, last_error, library
from ._session import Session, describe_all
from ._tensors import TensorInfo, View, as_numpy
from ._weights import OriginalNames, map_file, matching, toml, write_safetensors, write_state_dict

Path = Union[str, "os.PathLike[str]"]
Batch = Mapping[str, Any]


def load(file: Path, **options: Any) -> Model:
    """Loads a compiled module (`.plcm`), which is native code: trust it like a program.

    seed               of initial values and draws (0)
    threads_per_stage  1 to 256; 0: the module's own (0)
    hang_timeout       seconds without progress after which a rank hangs; None: never (30)
    check_finite       whether the first kernel that writes a NaN or an unexpected infinity is an error (False)
    transport          "threads" or "mpi"; None: the module's own (None)
    """
    return Model(file, **options)


def _one_by_one(batches: Iterable[Batch]) -> Callable[[int], Optional[Batch]]:
    iterator = iter(batches)
    return lambda step: next(iterator, None)


def _close(module: int, sessions: Dict[str, Session], scratch: str, process: int) -> None:
    for session in sessions.values():
        library().plc_session_destroy(session.handle)
    sessions.clear()
    library().plc_module_close(module)
    if os.getpid() == process:  # the folder of a forked child is its parent's
        shutil.rmtree(scratch, ignore_errors=True)


class Model:
    """A module and its parameters, which are initial values of `seed` until others are loaded.

    Tensors may be numpy arrays, anything that numpy makes an array of, or tensors with `__dlpack__`, as those of
    PyTorch and JAX. plc reads them in place if they are dense and have the type of the model. Others are converted
    if no value is lost: integers to integers, reals to reals. Results are numpy arrays.

    A model belongs to one thread at a time: a call while another thread is in one fails. Other threads run
    meanwhile, for each call releases the GIL. Ctrl-C takes effect when the step or run has ended.
    """

    def __init__(self, file: Path, *, seed: int = 0, threads_per_stage: int = 0,
                 hang_timeout: Optional[float] = 30.0, check_finite: bool = False, transport: Optional[str] = None,
                 scratch: Optional[str] = None):
        options = OptionsStruct(ctypes.sizeof(OptionsStruct), threads_per_stage,
                                -1.0 if hang_timeout is None else hang_timeout, check_finite,
                                transport.encode() if transport else None)
        handle = library().plc_module_open_with(os.fspath(file).encode(), ctypes.byref(options))
        if not handle:
            raise last_error(1)
        self.file = os.path.abspath(file)
        self.seed = seed
        self._handle: int = handle
        self._sessions: Dict[str, Session] = {}
        self._has_values = False
        self._averages = False  # in place of the parameters
        self._weights: Optional[bool] = None  # whether the file for other programs has averages; None: it is outdated
        self._names: Optional[OriginalNames] = None  # of an imported model
        self._scratch = scratch or tempfile.mkdtemp(prefix="plc-")
        self._explain: Optional[Callable[[], Dict[str, Any]]] = None
        self._finalize = weakref.finalize(self, _close, handle, self._sessions, self._scratch, os.getpid())

    # --- What there is ---
    @property
    def entries(self) -> Tuple[str, ...]:
        """The ways to run the model: "train", "eval", "infer", "gradient", .."""
        functions = library()
        return tuple(functions.plc_module_entry(self._open(), index).decode()
                     for index in range(functions.plc_module_num_entries(self._open())))

    @property
    def parameters(self) -> Dict[str, TensorInfo]:
        """Type and shape of each parameter, by its path."""
        functions = library()
        return {info.name: info for info in describe_all(functions.plc_module_describe_parameter, self._open(),
                                                         functions.plc_module_num_parameters(self._open()))}

    def inputs(self, entry: str = "infer") -> Dict[str, TensorInfo]:
        """Type and shape of each input of an entry."""
        return {info.name: info for info in self._session(entry).inputs}

    def outputs(self, entry: str = "infer") -> Dict[str, TensorInfo]:
        """Type and shape of each output of an entry."""
        return {info.name: info for info in self._session(entry).outputs}

    @property
    def step(self) -> int:
        """The last step of the training so far; 0 before the first one."""
        return library().plc_module_step(self._open())

    @property
    def plan(self) -> Dict[str, Any]:
        """The plan: stages with their bytes and bounds, routes, times in ns (docs/module.md, `plan`).

        If plc.compile made the model, also `timeline`: the tasks, each with `rank`, `stage`, `kind`, `micro_batch`,
        `begin_ns` and `end_ns`; and `explanation`, what `plc-compile --emit=json` prints.
        """
        plan = json.loads(library().plc_module_plan(self._open()).decode())
        if self._explain:
            explanation = self._explain()
            self._explain = lambda: explanation
            if explanation["step_ns"] != plan["step_ns"]:
                raise usage_error("the model's file or the rates have changed since it was compiled: compile it again")
            plan.update(timeline=explanation["tasks"], explanation=explanation)
        return plan

    # --- Training ---
    def train_step(self, inputs: Optional[Batch] = None, /, **named: Any) -> float:
        """Takes one step of the optimizer on a batch, and returns its loss before the update.

        Inputs have the shapes of `inputs("train")`, the whole batch. A step that fails changes no parameter.
        """
        session = self._session("train")
        self._need_values()
        self._change()
        return session.train(self.step + 1, self.seed, {**(inputs or {}), **named})

    def fit(self, data: Union[Iterable[Batch], Callable[[int], Batch]], steps: int, *,
            progress: Union[_progress.Progress, bool, None] = None) -> List[float]:
        """Takes so many steps, and returns their losses.

        data      batches: an iterable of mappings from input to tensor, or a function from the step's number to one
        progress  a function of (step, last step, loss) after each step; None: a bar on a terminal and in a notebook,
                  True: always a bar, False: nothing
        """
        if isinstance(data, Mapping):
            raise usage_error("found one mapping as data, expected an iterable of batches or a function")
        last, losses = self.step + steps, []
        report = _progress.choose(progress)
        batch_of = data if callable(data) else _one_by_one(data)
        for step in range(self.step + 1, last + 1):
            batch = batch_of(step)
            if batch is None:
                raise usage_error(f"found no batch for step {step} of {last}")
            losses.append(self.train_step(batch))
            report(step, last, losses[-1])
        return losses

    def gradients(self, inputs: Optional[Batch] = None, /, **named: Any) -> Tuple[float, Dict[str, numpy.ndarray]]:
        """The loss of a batch and its gradient with respect to each trained parameter, by path and in its shape.
        No step is taken. Draws are those of the next step."""
        results = self._run("gradient", {**(inputs or {}), **named}, step=self.step + 1)
        loss = float(results["loss"])
        return loss, {name[len("grad("):-1]: value for name, value in results.items() if name.startswith("grad(")}

    def set(self, key: str, value: Any) -> None:
        """Sets a key of the optimizer from the next step on: `m.set("optimizer.lr", 0.001)`. The keys are those that
        `plc-run train --set` takes for a compiled module."""
        text = value if isinstance(value, str) else toml(value)
        check(library().plc_module_set(self._open(), key.encode(), text.encode()))

    # --- Results ---
    def infer(self, inputs: Optional[Batch] = None, /, *, outputs: Optional[Sequence[str]] = None,
              out: Optional[Batch] = None, averages: bool = False, **named: Any) -> Dict[str, Any]:
        """Computes outputs of the model, each in the shape of `outputs("infer")`.

        outputs  only these, by the entry that computes the least; "grad(x)" or a value of a rule, if the model was
                 compiled with it. None: all that the given inputs suffice for
        out      tensors of yours that outputs are written to, by name: dense, of the output's type and shape
        averages with the moving averages of the parameters (`optimizer.ema`) in their place. They stay there until the
                 next call that does not ask for them; both ways all parameters are copied

        An input whose name is a keyword here goes into the mapping: `m.infer({"out": x})`.
        """
        given = {**(inputs or {}), **named}
        entry = self._entry_from(given.keys()) if outputs is None else self._entry_with(outputs)
        results = self._run(entry, given, out=out, averages=averages)
        return results if outputs is None else {name: results[name] for name in outputs}

    def evaluate(self, inputs: Optional[Batch] = None, /, *, averages: bool = False, **named: Any) -> Dict[str, Any]:
        """The outputs of a batch, the loss among them, as `plc-run eval` computes them; with `averages` as by `infer`."""
        return self._run("eval", {**(inputs or {}), **named}, averages=averages)

    def restart(self, entry: str = "infer") -> None:
        """Resets what a model with a `state` keeps from run to run."""
        self._session(entry).restart()

    def generate(self, prompt: Union[str, Sequence[int], Sequence[Prompt]], *, tokens: int = 200,
                 temperature: float = 0.8, top_k: Optional[int] = None, top_p: Optional[float] = None,
                 min_p: Optional[float] = None, repetition_penalty: Optional[float] = None,
                 stop: Union[str, Sequence[str]] = (), tokenizer: Optional[Path] = None,
                 prefill: Optional[Path] = None, inputs: Optional[Batch] = None, seed: Optional[int] = None,
                 averages: bool = False) -> Any:
        """Continues a text by `plc-run generate`, whose options these are.

        For a text it returns the text behind it, for a list of token numbers the numbers behind them, and for a list
        of either a list of results. A model with at most 256 tokens reads bytes, another needs a `tokenizer`.
        `averages` is as in `infer`.
        """
        one = isinstance(prompt, str) or (len(prompt) > 0 and isinstance(prompt[0], (int, numpy.integer)))
        prompts: List[Any] = [prompt] if one else list(prompt)
        options = dict(tokens=tokens, temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p,
                       repetition_penalty=repetition_penalty, tokenizer=tokenizer, prefill=prefill,
                       seed=self.seed if seed is None else seed)
        stops = [stop] if isinstance(stop, str) else list(stop)
        results = generate(self.file, self._weights_file(averages), prompts, options, stops, inputs)
        return results[0] if one else results

    # --- Parameters ---
    def initialize(self, seed: int = 0) -> None:
        """Gives parameters the initial values of a seed; training begins anew."""
        self._change()
        check(library().plc_module_initialize(self._open(), seed))
        self.seed, self._has_values = seed, True

    def load(self, source: Union[Path, Mapping[str, Any]], *, map: Union[Path, Mapping[str, Any], None] = None,
             averages: bool = False) -> None:
        """Loads parameters; what the optimizer keeps stays.

        source  a checkpoint of `save` or `plc-run train --save`; a `.safetensors` file or a Hugging Face index of
                several; or a mapping from name to tensor, as a `state_dict`
        map     where the source has each parameter: a file as `plc-run --map` takes it, or its table
                `[parameters]`: {"embed.w": "wte.weight", "head.w": {"from": "lm_head.weight", "transpose": True}}
        averages  the moving averages of a checkpoint, as parameters

        Tensors of other reals are converted. Further tensors of the source are not used.
        """
        if averages and isinstance(source, Mapping):
            raise usage_error("averages are those of a checkpoint, found tensors")
        self._change()
        with tempfile.TemporaryDirectory(prefix="plc-") as folder:
            map = map_file(map, folder)
            if self._names and map is None and isinstance(source, Mapping):
                source = self._names.translate(source, self._by_path())
            if not isinstance(source, Mapping):
                self._load_file(os.fspath(source), map, averages)
            elif map is None and (views := matching(source, self.parameters)) is not None:
                for index, view in enumerate(views):
                    check(library().plc_module_set_parameter(self._open(), index, view.address))
            else:
                given = os.path.join(folder, "state_dict.safetensors")
                write_state_dict(given, source)
                self._load_file(given, map)
        self._has_values = True

    def resume(self, path: Path) -> None:
        """Continues the training of a checkpoint: parameters, what the optimizer keeps, step and seed."""
        step, seed = ctypes.c_int64(), ctypes.c_uint64()
        self._change()
        check(library().plc_module_resume(self._open(), os.fspath(path).encode(), ctypes.byref(step),
                                          ctypes.byref(seed)))
        self.seed, self._has_values = seed.value, True

    def save(self, path: Path, *, map: Union[Path, Mapping[str, Any], None] = None, averages: bool = False) -> None:
        """Writes a checkpoint PATH/step-N and moves PATH/latest; or to a path that ends in `.safetensors` the
        parameters alone.

        map       of `load`, read backwards: the file has the names and layouts of others. Refused if that loses values
        averages  the moving averages in place of the parameters
        """
        is_file = os.fspath(path).endswith(".safetensors")
        for option, given in (("map", map is not None), ("averages", averages)):
            if given and not is_file:
                raise usage_error(f"{option} is for a file of parameters, found '{os.fspath(path)}', "
                                  "expected a name that ends in '.safetensors'")
        self._need_values(averages)
        if map is not None:
            with tempfile.TemporaryDirectory(prefix="plc-") as folder:
                names = os.fspath(map_file(map, folder)).encode()
                check(library().plc_module_export(self._open(), os.fspath(path).encode(), names))
        elif is_file:
            metadata = {"step": str(self.step), "seed": str(self.seed)}
            write_safetensors(os.fspath(path), list(self.parameters.values()), self._values(), metadata)
        else:
            check(library().plc_module_save(self._open(), os.fspath(path).encode(), self.step, self.seed))

    def state_dict(self, *, averages: bool = False) -> Dict[str, numpy.ndarray]:
        """Copies of all parameters by their paths; of an imported model by the names and in the shapes that it had, with
        all that its own `state_dict` has. Those of bf16 are f32, which numpy has. With `averages` the moving averages."""
        self._need_values(averages)
        values = self._by_path()
        return self._names.restore(values) if self._names else values

    # --- The end ---
    def close(self) -> None:
        """Frees the model's memory. So does the end of its last reference."""
        self._finalize()

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        if not self._finalize.alive:
            return "<plc.Model, closed>"
        return f"<plc.Model '{self.file}': {len(self.parameters)} parameters, entries {', '.join(self.entries)}>"

    # --- Inside ---
    def _open(self) -> int:
        if not self._finalize.alive:
            raise usage_error("this model is closed")
        return self._handle

    def _session(self, entry: str) -> Session:
        module = self._open()
        if entry not in self._sessions:
            self._sessions[entry] = Session(module, entry)
        return self._sessions[entry]

    def _need_values(self, averages: bool = False) -> None:
        """Parameters have values, or the averages are in their place."""
        if not self._has_values:
            self.initialize(self.seed)
        if averages != self._averages:
            check(library().plc_module_use_averages(self._open(), averages))
            self._averages = averages

    def _change(self) -> None:
        """Parameters are about to change."""
        self._weights = None
        if self._averages:
            self._need_values()

    def _run(self, entry: str, given: Batch, *, step: int = 0, out: Optional[Batch] = None,
             averages: bool = False) -> Dict[str, Any]:
        session = self._session(entry)
        self._need_values(averages)
        return session.run(given, self.seed, step, out)

    def _entry_with(self, names: Sequence[str]) -> str:
        """The entry with the fewest outputs that has all of these, rather without gradients."""
        entries = [entry for entry in self.entries if entry != "train" and set(names) <= set(self.outputs(entry))]
        if not entries:
            listed = ", ".join(f"'{name}'" for name in names)
            raise usage_error(f"no entry of the model has {listed}: plc.compile(.., outputs=[{listed}]) adds one")
        return min(entries, key=lambda entry: (len(self.outputs(entry)), entry == "gradient"))

    def _entry_from(self, names: Iterable[str]) -> str:
        """The entry with the most outputs of "infer" among those whose inputs have these names."""
        best = "infer"
        if self._session(best).needs(names):
            results = self.outputs().keys()
            entries = [entry for entry in self.entries if entry.startswith("infer.") and
                       not self._session(entry).needs(names) and self.outputs(entry).keys() <= results]
            best = max(entries, key=lambda entry: len(self.outputs(entry)), default=best)
        return best

    def _load_file(self, file: str, map: Optional[Path], averages: bool = False) -> None:
        names = None if map is None else os.fspath(map).encode()
        load = library().plc_module_load_averages if averages else library().plc_module_load_mapped
        check(load(self._open(), file.encode(), names))

    def _values(self) -> Iterable[View]:
        """A copy of each parameter."""
        for index, info in enumerate(self.parameters.values()):
            storage = numpy.empty(info.shape, info.storage)
            check(library().plc_module_get_parameter(self._open(), index, storage.ctypes.data))
            yield View(storage.ctypes.data, storage)

    def _by_path(self) -> Dict[str, numpy.ndarray]:
        return {info.name: as_numpy(view.owner, info) for info, view in zip(self.parameters.values(), self._values())}

    def _weights_file(self, averages: bool) -> str:
        """A file with the present parameters, for other programs."""
        file = os.path.join(self._scratch, "parameters.safetensors")
        if self._weights is not averages:
            self.save(file, averages=averages)
            self._weights = averages
        return file
