"""Writes parameters for programs that read files: .safetensors, and maps of names in TOML."""
from __future__ import annotations

import ctypes
import json
import os
import struct
from typing import Any, Dict, Iterable, List, Mapping, Optional, Union

import numpy

from ._errors import usage_error
from ._tensors import TensorInfo, View, describe, input_view

# The names of element types in .safetensors.
_TYPES = {"f64": "F64", "f32": "F32", "f16": "F16", "bf16": "BF16", "i64": "I64", "i32": "I32", "i8": "I8", "u8": "U8",
          "bool": "BOOL"}


def write_safetensors(file: str, infos: List[TensorInfo], views: Iterable[View], metadata: Mapping[str, str]) -> None:
    """Writes dense tensors, one after another. The file appears whole or not at all."""
    header: Dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    end = 0
    for info in infos:
        begin, end = end, end + info.num_bytes
        header[info.name] = {"dtype": _TYPES[info.type], "shape": list(info.shape), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)  # tensors begin at multiples of 8 bytes
    partial = f"{file}.partial-{os.getpid()}"
    try:
        with open(partial, "wb") as out:
            out.write(struct.pack("<Q", len(text)) + text)
            for info, view in zip(infos, views):
                if info.num_bytes:
                    out.write((ctypes.c_char * info.num_bytes).from_address(view.address))
        os.replace(partial, file)
    finally:
        if os.path.exists(partial):
            os.unlink(partial)


def write_state_dict(file: str, state_dict: Mapping[str, Any]) -> None:
    """Writes tensors in the types that they have."""
    described = []
    for name, value in state_dict.items():
        if not isinstance(name, str):
            raise usage_error(f"found {name!r} in a state_dict, expected the name of a tensor")
        described.append(describe(name, value))
    views = (input_view(value, info, "tensor") for info, value in described)
    write_safetensors(file, [info for info, _ in described], views, {})


def matching(state_dict: Mapping[str, Any], parameters: Mapping[str, TensorInfo]) -> Optional[List[View]]:
    """The memory of each parameter if the dict has all of them, in their types and shapes; else None."""
    views = []
    for info in parameters.values():
        if info.name not in state_dict:
            return None
        found, value = describe(info.name, state_dict[info.name])
        if found != info:
            return None
        views.append(input_view(value, info, "tensor"))
    return views


def map_text(names: Mapping[str, Any]) -> str:
    """A map of parameters to tensors as a file of `plc-run --map` has it."""
    return "[parameters]\n" + "".join(f"{json.dumps(name)} = {toml(value)}\n" for name, value in names.items())


def map_file(names: Union[str, "os.PathLike[str]", Mapping[str, Any], None],
             folder: str) -> Union[str, "os.PathLike[str]", None]:
    """The file of a map that may be a dict, which is written to a folder."""
    if not isinstance(names, Mapping):
        return names
    file = os.path.join(folder, "map.toml")
    with open(file, "w", encoding="utf-8") as out:
        out.write(map_text(names))
    return file


def toml(value: Any) -> str:
    """A value in TOML."""
    if isinstance(value, (bool, numpy.bool_)):
        return str(bool(value)).lower()
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {toml(each)}" for key, each in value.items()) + "}"
    return str(value)


def read_metadata(file: str) -> Dict[str, str]:
    """The metadata of a safetensors file."""
    with open(file, "rb") as data:
        size = int.from_bytes(data.read(8), "little")
        return json.loads(data.read(size)).get("__metadata__", {})


class OriginalNames:
    """The names and shapes that a model had before it was imported."""

    def __init__(self, names: Mapping[str, str], state: Mapping[str, Any]) -> None:
        """`names` has the name of each path; `state` the tensors of the module, some of which may be tied."""
        self._tensors = {name: tensor.detach() for name, tensor in state.items()}
        self._paths = {name: path for path, name in names.items() if name in self._tensors}
        homes = {self._place(name): path for name, path in self._paths.items()}
        for name in self._tensors: # tied tensors have one parameter
            if name not in self._paths and self._place(name) in homes:
                self._paths[name] = homes[self._place(name)]

    def _place(self, name: str) -> tuple:
        tensor = self._tensors[name]
        return tensor.data_ptr(), tuple(tensor.shape)

    def restore(self, values: Mapping[str, Any]) -> Dict[str, Any]:
        """Values by path as a `state_dict`. What is no parameter of the rules is as it was, such as counters."""
        return {name: values[self._paths[name]].reshape(tuple(tensor.shape)) if name in self._paths
                else tensor.numpy().copy() for name, tensor in self._tensors.items()}

    def translate(self, state: Mapping[str, Any], present: Mapping[str, Any]) -> Mapping[str, Any]:
        """A `state_dict` as values by path; parameters that are in none stay as at present. Values by path are returned
        as they are."""
        names: Dict[str, str] = {}
        for name, path in self._paths.items():  # of tied names one is enough
            if name in state or path not in names:
                names[path] = name
        if state.keys() <= present.keys():
            return state
        if lacking := sorted(name for name in names.values() if name not in state):
            raise usage_error(f"the state_dict lacks {len(lacking)} of {len(names)} parameters, such as '{lacking[0]}'")
        return {path: state[names[path]].reshape(tuple(value.shape)) if path in names else value
                for path, value in present.items()}
