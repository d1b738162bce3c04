"""Tensors of a library other than numpy, as far as DLPack knows them."""
import ctypes

from plc._tensors import _DLTensor, _Versioned


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Tensor:
    """The memory of a numpy array under another element type, (code, bits) of DLPack. `version` 0: a producer of
    before DLPack 1.0."""

    def __init__(self, array, code, bits, *, device=1, read_only=False, version=1, grad=False):
        self.array, self.code, self.bits, self.device = array, code, bits, device
        self.read_only, self.version, self.grad = read_only, version, grad
        self.dtype = f"other{bits}"

    def __dlpack_device__(self):
        return self.device, 0

    def detach(self):
        return Tensor(self.array, self.code, self.bits, device=self.device, read_only=self.read_only,
                      version=self.version)

    def __dlpack__(self, **asked):
        if self.grad:
            raise BufferError("it has a gradient")
        if asked and not self.version:
            raise TypeError("no such argument")
        rank = self.array.ndim
        self.shape = (ctypes.c_int64 * rank)(*self.array.shape)
        self.strides = (ctypes.c_int64 * rank)(*(each // self.array.itemsize for each in self.array.strides))
        tensor = _DLTensor(self.array.ctypes.data, self.device, 0, rank, self.code, self.bits, 1, self.shape,
                           self.strides, 0)
        if self.version and asked:
            self.managed = _Versioned(major=1, flags=int(self.read_only), tensor=tensor)
            return _new_capsule(ctypes.addressof(self.managed), b"dltensor_versioned", None)
        self.managed = _Managed(tensor=tensor)
        return _new_capsule(ctypes.addressof(self.managed), b"dltensor", None)
