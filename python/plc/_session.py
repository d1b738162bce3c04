"""Entries of a module: the tensors that they take and give, and one run of each."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence

import numpy

from ._errors import usage_error
from ._library import TensorInfoStruct, check, last_error, library
from ._tensors import TensorInfo, View, as_numpy, info_of, input_view, output_view


def describe_all(function: Callable[..., int], handle: int, count: int) -> List[TensorInfo]:
    """The tensors of a list of the C API."""
    found = []
    for index in range(count):
        struct = TensorInfoStruct(struct_size=ctypes.sizeof(TensorInfoStruct))
        check(function(handle, index, ctypes.byref(struct)))
        found.append(info_of(struct))
    return found


def is_random(info: TensorInfo) -> bool:
    """Whether an input takes keys of draws, which follow from a seed."""
    return info.name.startswith("random(")


def _pointers(views: Sequence[View]) -> Any:
    return (ctypes.c_void_p * len(views))(*(view.address for view in views))


class Session:
    """One entry of a module."""

    def __init__(self, module: int, entry: str):
        functions = library()
        self.entry = entry
        self.handle = functions.plc_session_create(module, entry.encode())
        if not self.handle:
            raise last_error(2)
        self.inputs = describe_all(functions.plc_session_describe_input, self.handle,
                                   functions.plc_session_num_inputs(self.handle))
        self.outputs = describe_all(functions.plc_session_describe_output, self.handle,
                                    functions.plc_session_num_outputs(self.handle))

    def train(self, step: int, seed: int, given: Mapping[str, Any]) -> float:
        views = self._input_views(given, seed, step)
        loss = ctypes.c_double()
        check(library().plc_session_train(self.handle, step, _pointers(views), ctypes.byref(loss)))
        return loss.value

    def run(self, given: Mapping[str, Any], seed: int = 0, step: int = 0,
            out: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:
        """The outputs by name: arrays, or the caller's own tensors in `out`."""
        given_out = dict(out or {})
        if unknown := given_out.keys() - {info.name for info in self.outputs}:
            raise usage_error(f"entry '{self.entry}' has no output '{min(unknown)}'; its outputs are " +
                              ", ".join(f"'{info.name}'" for info in self.outputs))
        inputs = self._input_views(given, seed, step)
        storages = {info.name: numpy.empty(info.shape, info.storage) for info in self.outputs
                    if info.name not in given_out}
        outputs = [output_view(given_out.get(info.name, storages.get(info.name)), info) for info in self.outputs]
        check(library().plc_session_run(self.handle, _pointers(inputs), _pointers(outputs)))
        return {info.name: given_out[info.name] if info.name in given_out else as_numpy(storages[info.name], info)
                for info in self.outputs}

    def restart(self) -> None:
        check(library().plc_session_restart(self.handle))

    def needs(self, names: Iterable[str]) -> bool:
        """Whether a run needs more inputs than these."""
        return any(info.name not in names and not is_random(info) for info in self.inputs)

    def _input_views(self, given: Mapping[str, Any], seed: int, step: int) -> List[View]:
        """The memory of all inputs. Keys of draws that are not given are those of plc-run."""
        names = [info.name for info in self.inputs]
        if unknown := given.keys() - set(names):
            raise usage_error(f"entry '{self.entry}' has no input '{min(unknown)}'; its inputs are " +
                              (", ".join(f"'{name}'" for name in names) or "none"))
        views = []
        for index, info in enumerate(self.inputs):
            if info.name in given:
                views.append(input_view(given[info.name], info))
            elif is_random(info):
                keys = numpy.empty(info.shape, info.storage)
                check(library().plc_session_random_keys(self.handle, index, seed, step, 0, keys.ctypes.data))
                views.append(View(keys.ctypes.data, keys))
            else:
                raise usage_error(f"input '{info.name}' ({info}) of entry '{self.entry}' is not given")
        return views
