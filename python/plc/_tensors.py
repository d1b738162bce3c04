"""Tensors on their way to the runtime and back: numpy arrays, and by DLPack those of PyTorch, JAX and others."""
from __future__ import annotations

import ctypes
import math
from typing import Any, NamedTuple, Tuple

import numpy

from ._errors import usage_error

# By the numbers of plc_element_type: name, the numpy type with the same bits, and DLPack's code and width.
# numpy has no bf16, so its bits are those of an u16.
_TYPES = [("f64", "f8", 2, 64), ("f32", "f4", 2, 32), ("i64", "i8", 0, 64), ("i32", "i4", 0, 32), ("bool", "?", 6, 8),
          ("f16", "f2", 2, 16), ("bf16", "u2", 4, 16), ("i8", "i1", 0, 8), ("u8", "u1", 1, 8)]
_CPU_DEVICES = {1, 3}  # CPU, and memory of the CPU that a GPU can read
_KINDS = {"b": "bool", "i": "integer", "u": "integer", "f": "real"}


class TensorInfo(NamedTuple):
    """Name, element type ("f32", "i64", ..) and shape of an input, output or parameter."""

    name: str
    type: str
    shape: Tuple[int, ...]

    @property
    def dtype(self) -> numpy.dtype:
        """The type of the numpy array that plc returns: of bf16, which numpy lacks, f32."""
        return numpy.dtype("f4") if self.type == "bf16" else self.storage

    @property
    def storage(self) -> numpy.dtype:
        """A numpy type with the bits of an element."""
        return numpy.dtype(next(code for name, code, *_ in _TYPES if name == self.type))

    @property
    def num_bytes(self) -> int:
        """Of all elements, dense."""
        return math.prod(self.shape) * self.storage.itemsize

    def __str__(self) -> str:
        return f"{self.type}{list(self.shape)}"


def info_of(struct: Any) -> TensorInfo:
    return TensorInfo(struct.name.decode(), _TYPES[struct.type][0], tuple(struct.shape[: struct.rank]))


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _DLTensor)]


_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


class View(NamedTuple):
    """The memory of a tensor: `owner` keeps it alive."""

    address: int
    owner: Any


def _capsule(value: Any) -> Tuple[Any, _DLTensor, bool]:
    """A tensor's DLPack capsule, what is in it, and whether it must not be written. The capsule is not consumed: it
    frees its memory when it dies."""
    try:
        capsule = value.__dlpack__(max_version=(1, 0))
    except TypeError:  # a producer of before version 1.0
        capsule = value.__dlpack__()
    if _is_valid(capsule, b"dltensor_versioned"):
        managed = _Versioned.from_address(_pointer_of(capsule, b"dltensor_versioned"))
        return capsule, managed.tensor, bool(managed.flags & 1)
    return capsule, _DLTensor.from_address(_pointer_of(capsule, b"dltensor")), False


def _is_dense(tensor: _DLTensor, shape: Tuple[int, ...]) -> bool:
    """Whether a tensor is row-major without gaps."""
    expected = 1
    for axis in reversed(range(len(shape))):
        if tensor.strides and shape[axis] > 1 and tensor.strides[axis] != expected:
            return False
        expected *= shape[axis]
    return True


def _dlpack_view(value: Any, info: TensorInfo, what: str, writes: bool) -> View | None:
    """The memory of a tensor by DLPack if it has the type and the layout of `info`; else None."""
    if value.__dlpack_device__()[0] not in _CPU_DEVICES:
        raise usage_error(f"{what} '{info.name}' is not in the memory of the CPU")
    value = value.detach() if hasattr(value, "detach") else value  # PyTorch exports no tensor that has a gradient
    capsule, tensor, is_read_only = _capsule(value)
    shape = tuple(tensor.shape[: tensor.ndim])
    check_shape(shape, info, what)
    _, _, code, bits = next(row for row in _TYPES if row[0] == info.type)
    if (tensor.code, tensor.bits, tensor.lanes) != (code, bits, 1) or not _is_dense(tensor, shape):
        return None
    if writes and is_read_only:
        raise usage_error(f"{what} '{info.name}' cannot be written")
    return View((tensor.data or 0) + tensor.byte_offset, (capsule, value))


def check_shape(shape: Tuple[int, ...], info: TensorInfo, what: str) -> None:
    if tuple(shape) != info.shape:
        raise usage_error(f"found shape {list(shape)} for {what} '{info.name}', expected {list(info.shape)}")


def describe(name: str, value: Any) -> Tuple[TensorInfo, Any]:
    """The type and shape that a tensor has itself, and the tensor, or an array if it is none."""
    if not isinstance(value, numpy.ndarray) and hasattr(value, "__dlpack__"):
        value = value.detach() if hasattr(value, "detach") else value
        capsule, tensor, is_read_only = _capsule(value)  # the capsule owns what `tensor` reads
        kind, shape = (tensor.code, tensor.bits), tuple(tensor.shape[: tensor.ndim])
        found = next((row[0] for row in _TYPES if (row[2], row[3]) == kind), None)
    else:
        value = numpy.asarray(value)
        shape = value.shape
        found = next((row[0] for row in _TYPES if numpy.dtype(row[1]) == value.dtype and row[0] != "bf16"), None)
    if found is None:
        raise usage_error(f"tensor '{name}' has a type that plc does not read: {value.dtype}")
    return TensorInfo(name, found, shape), value


def input_view(value: Any, info: TensorInfo, what: str = "input") -> View:
    """The memory of a value for the runtime to read. Without a copy if it is dense and has the type of `info`; else
    converted if no integer is lost: f64 rounds to f32, reals do not become integers."""
    if not isinstance(value, numpy.ndarray) and hasattr(value, "__dlpack__"):
        if view := _dlpack_view(value, info, what, writes=False):
            return view
        value = _from_dlpack(value, info, what)
    array = numpy.asarray(value)
    if not isinstance(value, numpy.ndarray) and info.dtype.kind == "f" and array.dtype.kind == "i":
        array = array.astype("f8")  # [1, 2] in Python may stand for reals
    check_shape(array.shape, info, what)
    if info.type == "bf16":
        array = _narrowed(array, info, what)
    elif array.dtype != info.storage:
        array = _converted(array, info, what)
    array = numpy.ascontiguousarray(array)
    return View(array.ctypes.data, array)


def output_view(value: Any, info: TensorInfo) -> View:
    """The memory of a caller's tensor for the runtime to write: dense, and of the type and shape of `info`."""
    if isinstance(value, numpy.ndarray):
        check_shape(value.shape, info, "output")
        if value.dtype == info.storage and value.flags.c_contiguous and value.flags.writeable:
            return View(value.ctypes.data, value)
    elif hasattr(value, "__dlpack__"):
        if view := _dlpack_view(value, info, "output", writes=True):
            return view
    raise usage_error(f"output '{info.name}' needs a dense tensor of {info} that can be written")


def as_numpy(storage: numpy.ndarray, info: TensorInfo) -> numpy.ndarray:
    """An array of `info.dtype` with the values that the runtime wrote to `storage`."""
    if info.type != "bf16":
        return storage
    return (storage.astype("u4") << 16).view("f4").reshape(info.shape)


def _from_dlpack(value: Any, info: TensorInfo, what: str) -> numpy.ndarray:
    try:
        return numpy.from_dlpack(value.detach() if hasattr(value, "detach") else value)
    except (BufferError, RuntimeError, TypeError) as error:  # a type that numpy lacks
        raise usage_error(f"{what} '{info.name}' needs a dense tensor of {info}: {error}") from error


def _converted(array: numpy.ndarray, info: TensorInfo, what: str) -> numpy.ndarray:
    have, want = _KINDS.get(array.dtype.kind), _KINDS[info.storage.kind]
    if have is None or (have == "real") != (want == "real"):
        raise usage_error(f"found {array.dtype} for {what} '{info.name}', expected {info.type}")
    with numpy.errstate(over="ignore"):  # checked below
        converted = array.astype(info.storage)
    if want == "real":
        lost = numpy.isinf(converted) & numpy.isfinite(array)
    else:
        lost = converted.astype(array.dtype) != array
    if lost.any():
        place = [int(axis) for axis in numpy.argwhere(lost)[0]]
        raise usage_error(f"{what} '{info.name}' has {array[tuple(place)]} at {place}, which {info.type} cannot hold")
    return converted


def _narrowed(array: numpy.ndarray, info: TensorInfo, what: str) -> numpy.ndarray:
    """Reals to the bits of bf16, to nearest even."""
    wide = _converted(array, info._replace(type="f32"), what) if array.dtype != "f4" else array
    bits = numpy.ascontiguousarray(wide).view("u4")
    rounded = ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype("u2")
    return numpy.where(numpy.isnan(wide), numpy.uint16(0x7FC0), rounded)
