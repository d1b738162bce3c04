"""Finds plc's programs and libplcrt, and declares the functions of the C API (plc/Runtime/plc.h)."""
from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import shutil
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p
from typing import Iterator

from ._errors import Error, usage_error


class TensorInfoStruct(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("type", c_int), ("rank", c_size_t),
                ("shape", POINTER(c_int64)), ("bytes", c_size_t)]


class OptionsStruct(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("threads_per_stage", c_int64), ("hang_timeout", c_double),
                ("check_finite", c_int), ("transport", c_char_p)]


_POINTERS = POINTER(c_void_p)
# Result and arguments of each function.
_FUNCTIONS = {
    "plc_version": (c_char_p,),
    "plc_last_error": (c_char_p,),
    "plc_last_error_report": (c_char_p,),
    "plc_module_open_with": (c_void_p, c_char_p, POINTER(OptionsStruct)),
    "plc_module_close": (None, c_void_p),
    "plc_module_plan": (c_char_p, c_void_p),
    "plc_module_load_mapped": (c_int, c_void_p, c_char_p, c_char_p),
    "plc_module_load_averages": (c_int, c_void_p, c_char_p, c_char_p),
    "plc_module_export": (c_int, c_void_p, c_char_p, c_char_p),
    "plc_module_use_averages": (c_int, c_void_p, c_int),
    "plc_module_initialize": (c_int, c_void_p, c_uint64),
    "plc_module_save": (c_int, c_void_p, c_char_p, c_int64, c_uint64),
    "plc_module_resume": (c_int, c_void_p, c_char_p, POINTER(c_int64), POINTER(c_uint64)),
    "plc_module_step": (c_int64, c_void_p),
    "plc_module_num_parameters": (c_size_t, c_void_p),
    "plc_module_describe_parameter": (c_int, c_void_p, c_size_t, POINTER(TensorInfoStruct)),
    "plc_module_get_parameter": (c_int, c_void_p, c_size_t, c_void_p),
    "plc_module_set_parameter": (c_int, c_void_p, c_size_t, c_void_p),
    "plc_module_set": (c_int, c_void_p, c_char_p, c_char_p),
    "plc_module_num_entries": (c_size_t, c_void_p),
    "plc_module_entry": (c_char_p, c_void_p, c_size_t),
    "plc_session_create": (c_void_p, c_void_p, c_char_p),
    "plc_session_destroy": (None, c_void_p),
    "plc_session_num_inputs": (c_size_t, c_void_p),
    "plc_session_num_outputs": (c_size_t, c_void_p),
    "plc_session_describe_input": (c_int, c_void_p, c_size_t, POINTER(TensorInfoStruct)),
    "plc_session_describe_output": (c_int, c_void_p, c_size_t, POINTER(TensorInfoStruct)),
    "plc_session_random_keys": (c_int, c_void_p, c_size_t, c_uint64, c_int64, c_int64, c_void_p),
    "plc_session_run": (c_int, c_void_p, _POINTERS, _POINTERS),
    "plc_session_restart": (c_int, c_void_p),
    "plc_session_train": (c_int, c_void_p, c_int64, _POINTERS, POINTER(c_double)),
}


def _homes() -> Iterator[pathlib.Path]:
    """Folders that may have plc in bin/ and lib/, the best first."""
    package = pathlib.Path(__file__).resolve().parent
    yield package / "_native"  # of a wheel
    yield package.parent.parent / "build"  # of the source tree
    if program := shutil.which("plc-compile"):
        yield pathlib.Path(program).resolve().parent.parent


def _library_of(home: pathlib.Path) -> pathlib.Path | None:
    folders = [home / "lib", home / "lib64", *sorted((home / "lib").glob("*-linux-gnu"))]
    return next((file for folder in folders if (file := folder / "libplcrt.so.0").exists()), None)


@functools.lru_cache(maxsize=None)
def home() -> pathlib.Path:
    """The folder with bin/plc-compile and libplcrt: PLC_HOME, that of the wheel, of the source tree, or of PATH."""
    if given := os.environ.get("PLC_HOME"):
        if _library_of(pathlib.Path(given)):
            return pathlib.Path(given)
        raise usage_error(f"found PLC_HOME '{given}', which has no lib/libplcrt.so.0")
    tried = list(_homes())
    for folder in tried:
        if _library_of(folder):
            return folder
    raise usage_error("found no libplcrt.so.0 below " + ", ".join(f"'{folder}'" for folder in tried) +
                      "; set PLC_HOME to the folder that has bin and lib")


def program(name: str) -> str:
    """The path of 'plc-compile' or 'plc-run'."""
    file = home() / "bin" / name
    if not os.access(file, os.X_OK):
        raise usage_error(f"found no program '{file}'")
    return str(file)


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """libplcrt. Its functions release the GIL while they run."""
    loaded = ctypes.CDLL(str(_library_of(home())))
    for name, (result, *arguments) in _FUNCTIONS.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded


def check(code: int) -> None:
    """Raises this thread's last error if a function has returned an exit code."""
    if code:
        raise Error(library().plc_last_error_report().decode(errors="replace"), code)


def last_error(exit_code: int) -> Error:
    """The error of a function that has returned NULL."""
    return Error(library().plc_last_error_report().decode(errors="replace"), exit_code)
