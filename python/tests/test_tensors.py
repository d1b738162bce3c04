"""Tensors in and out: which are read in place, which are converted, which are refused."""
import numpy
import pytest

import plc
from plc._tensors import TensorInfo, as_numpy, input_view, output_view
from producers import Tensor

F32, BF16, I32 = (TensorInfo("x", kind, (2, 3)) for kind in ("f32", "bf16", "i32"))
FLOAT, BFLOAT, INT = 2, 4, 0  # DLPack's codes
ONES = numpy.ones((2, 3), "f4")


class OfNumpy:
    """A tensor that only numpy's own capsule describes."""

    def __init__(self, array):
        self.array = array
        self.__dlpack_device__ = array.__dlpack_device__

    def __dlpack__(self, *given, **named):
        return self.array.__dlpack__(*given, **named)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dense_tensors_are_read_in_place():
    for value in (ONES, OfNumpy(ONES), Tensor(ONES, FLOAT, 32), Tensor(ONES, FLOAT, 32, version=0),
                  Tensor(ONES, FLOAT, 32, read_only=True), Tensor(ONES, FLOAT, 32, grad=True)):
        assert input_view(value, F32).address == ONES.ctypes.data
    one_row = numpy.ones((1, 3), "f4")[:, ::1]
    assert input_view(one_row, TensorInfo("x", "f32", (1, 3))).address == one_row.ctypes.data


def test_others_are_converted():
    for value in (ONES.astype("f8"), ONES.T.copy().T, ONES.tolist(), [[1, 1, 1]] * 2, OfNumpy(ONES.T.copy().T),
                  OfNumpy(ONES.astype("f2"))):
        view = input_view(value, F32)
        assert view.owner.dtype == "f4" and (view.owner == ONES).all() and view.address == view.owner.ctypes.data
    assert input_view(numpy.full((2, 3), 7, "u8"), I32).owner.tolist() == [[7] * 3] * 2


def test_what_would_lose_a_value_is_refused():
    big = numpy.array([[1, 2, 3], [4, 5, 2**40]])
    with pytest.raises(plc.Error, match=r"input 'x' has 1099511627776 at \[1, 2\], which i32 cannot hold"):
        input_view(big, I32)
    with pytest.raises(plc.Error, match=r"input 'x' has 1e\+300 at \[1, 2\], which f32 cannot hold"):
        input_view(numpy.where(big == 2**40, 1e300, 0.0), F32)
    for value, info in ((ONES, I32), (ONES.astype("i4"), F32), (numpy.full((2, 3), "a"), F32), (ONES > 0, F32)):
        with pytest.raises(plc.Error, match=f"found .* for input 'x', expected {info.type}"):
            input_view(value, info)
    with pytest.raises(plc.Error, match=r"found shape \[3, 2\] for input 'x', expected \[2, 3\]"):
        input_view(ONES.T, F32)
    with pytest.raises(plc.Error, match=r"found shape \[3, 2\] for input 'x', expected \[2, 3\]"):
        input_view(Tensor(ONES.T.copy(), FLOAT, 32), F32)
    with pytest.raises(plc.Error, match="input 'x' is not in the memory of the CPU"):
        input_view(Tensor(ONES, FLOAT, 32, device=2), F32)
    with pytest.raises(plc.Error, match=r"input 'x' needs a dense tensor of f32\[2, 3\]"):
        input_view(Tensor(ONES.astype("u2"), BFLOAT, 16), F32)


def test_bf16_is_read_and_written_by_its_bits():
    bits = numpy.full((2, 3), 0x3FC0, "u2")  # 1.5
    assert input_view(Tensor(bits, BFLOAT, 16), BF16).address == bits.ctypes.data
    assert output_view(Tensor(bits, BFLOAT, 16), BF16).address == bits.ctypes.data
    assert (as_numpy(bits, BF16) == 1.5).all()
    halves = numpy.array([[1 + 2**-8, 1 + 3 * 2**-8, -0.0], [numpy.inf, numpy.nan, 3.5e38]])  # ties go to even
    with pytest.raises(plc.Error, match="which f32 cannot hold"):
        input_view(halves, BF16)
    halves[1, 2] = 3.3e38
    found = as_numpy(input_view(halves, BF16).owner, BF16)
    assert found.tolist()[0] == [1.0, 1 + 2**-6, 0.0] and numpy.isnan(found[1, 1]) and found[1, 0] == numpy.inf
    assert found[1, 2] == 248 * 2.0**120 and numpy.signbit(found[0, 2])


def test_outputs_go_to_tensors_of_others():
    mine = numpy.zeros((2, 3), "f4")
    assert output_view(Tensor(mine, FLOAT, 32), F32).address == mine.ctypes.data
    with pytest.raises(plc.Error, match="output 'x' cannot be written"):
        output_view(Tensor(mine, FLOAT, 32, read_only=True), F32)
    with pytest.raises(plc.Error, match="that can be written"):
        output_view(Tensor(mine.astype("i4"), INT, 32), F32)


def test_every_element_type_goes_through_a_model(folder):
    given = {"a": numpy.array([1.1, -2, 1e300]), "b": numpy.array([2**60 + 1, -3, 0]),
             "c": numpy.array([True, False, True]), "d": numpy.array([1.5, -2, 6e4], "f2"),
             "e": numpy.array([1.5, -2, 3e38], "f4"), "f": numpy.array([1, -128, 127], "i1")}
    with plc.load(folder / "types.plcm") as model:
        assert [str(info) for info in model.inputs().values()] == ["f64[3]", "i64[3]", "bool[3]", "f16[3]", "bf16[3]",
                                                                   "i8[3]"]
        found = model.infer(given)
    for name, value in given.items():
        assert found[f"{name}2"].dtype == value.dtype
        numpy.testing.assert_allclose(found[f"{name}2"], value, rtol=1e-2 if name == "e" else 0)


def test_tensors_of_pytorch(text, batch):
    torch = pytest.importorskip("torch")
    expected = text.infer(batch)["logits"]
    mine = torch.zeros(4, 8, 256)
    text.infer({name: torch.from_numpy(value) for name, value in batch.items()}, out={"logits": mine})
    assert (mine.numpy() == expected).all()
    weights = {name: torch.nn.Parameter(torch.from_numpy(value)) for name, value in text.state_dict().items()}
    text.initialize(1)
    text.load(weights)
    assert (text.infer(batch)["logits"] == expected).all()
    text.load({name: value.to(torch.bfloat16) for name, value in weights.items()})
    numpy.testing.assert_allclose(text.infer(batch)["logits"], expected, atol=1e-2)
    with pytest.raises(plc.Error, match="tensor 'head.w' has a type that plc does not read: torch.complex64"):
        text.load({"head.w": torch.zeros(2, dtype=torch.complex64)})


def test_arrays_of_jax(text, batch):
    jax = pytest.importorskip("jax")
    expected = text.infer(batch)["logits"]
    assert (text.infer({name: jax.numpy.asarray(value) for name, value in batch.items()})["logits"] == expected).all()


def test_a_type_of_a_state_dict_that_plc_does_not_read(text):
    with pytest.raises(plc.Error, match="tensor 'head.w' has a type that plc does not read: complex128"):
        text.load({"head.w": numpy.zeros(2, "c16")})
