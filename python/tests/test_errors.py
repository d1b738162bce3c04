"""Errors of the compiler, of a run and of wrong calls."""
import subprocess
import sys

import numpy
import pytest

import plc
from plc import _library


def test_an_error_of_the_compiler_has_its_place(tmp_path):
    file = tmp_path / "bad.ein"
    file.write_text("model m(x[N]) -> y[2] { y = x }\nmodel k(x[M]) -> y[2] { y = x }\n")
    with pytest.raises(plc.Error) as raised:
        plc.compile(file)
    error = raised.value
    assert (error.exit_code, error.file, error.line, error.column) == (1, str(file), 1, 11)
    assert error.message == "'N' is not a known size"
    assert error.diagnostics[-1] == plc.Diagnostic("'M' is not a known size", str(file), 2, 11)
    assert str(error).split("\n")[1:3] == ["model m(x[N]) -> y[2] { y = x }", "          ^"]


def test_an_error_of_usage_has_no_place(folder):
    with pytest.raises(plc.Error) as raised:
        plc.compile(folder / "text.ein", settings={"parallelism.stage": 2})
    error = raised.value
    assert (error.exit_code, error.file, error.line) == (2, None, None)
    assert error.message.endswith("unknown key 'parallelism.stage'; the nearest is 'parallelism.stages'")


def test_an_error_of_a_run_has_its_place(folder, text, batch):
    batch["tok"][1, 3] = -1
    with pytest.raises(plc.Error) as raised:
        text.train_step(batch)
    error = raised.value
    assert (error.exit_code, error.file, error.line) == (1, str(folder / "text.ein"), 6)
    assert error.message == "index -1 at position 11 is outside 0..255"
    assert "  x[b, s, d] = w[tok[b, s], d]\n" in str(error)
    assert error.notes == ["rank 0, stage 's0', micro-batch 0, kernel 'embed.F.0' of 'embed'"]


def test_a_file_that_is_no_module(tmp_path):
    with pytest.raises(plc.Error) as raised:
        plc.load(tmp_path / "none.plcm")
    error = raised.value
    assert (error.exit_code, error.file) == (1, str(tmp_path / "none.plcm"))
    assert error.message == "cannot be read: No such file or directory"
    with pytest.raises(plc.Error, match="found 300 threads per stage, expected 1 to 256"):
        plc.load(tmp_path / "none.plcm", threads_per_stage=300)


def test_wrong_inputs(text, batch):
    with pytest.raises(plc.Error, match=r"input 'next' \(i32\[4, 8\]\) of entry 'train' is not given") as raised:
        text.train_step(tok=batch["tok"])
    assert raised.value.exit_code == 2
    with pytest.raises(plc.Error, match="entry 'train' has no input 'token'; its inputs are 'tok', 'next'"):
        text.train_step(batch, token=1)
    with pytest.raises(plc.Error, match=r"input 'tok' \(i32\[4, 8\]\) of entry 'infer' is not given"):
        text.infer()


def test_entries_that_are_not_there(folder, text, batch):
    with plc.load(folder / "sums.plcm") as sums:
        with pytest.raises(plc.Error, match="model 'sums' has no entry 'train'"):
            sums.train_step(x=numpy.ones(4))
    with pytest.raises(plc.Error, match=r"no entry of the model has 'grad\(tok\)': plc.compile\(.., outputs=\['grad"):
        text.infer(batch, outputs=["grad(tok)"])


def test_a_closed_model(folder):
    model = plc.load(folder / "sums.plcm")
    assert repr(model) == f"<plc.Model '{folder / 'sums.plcm'}': 0 parameters, entries infer>"
    model.close()
    model.close()
    assert repr(model) == "<plc.Model, closed>"
    for call in (model.restart, model.state_dict, lambda: model.infer(x=[0] * 4), lambda: model.plan):
        with pytest.raises(plc.Error, match="this model is closed"):
            call()


def test_a_model_in_a_forked_child(folder):
    script = f"""
import os, sys, plc
model = plc.load({str(folder / 'sums.plcm')!r})
model.infer(x=[1, 2, 3, 4])
child = os.fork()
if child == 0:
    try:
        model.infer(x=[1, 2, 3, 4])
    except plc.Error as error:
        os.write(1, str(error).encode())
    sys.exit(0)
os.waitpid(child, 0)
os.write(1, str(os.path.isdir(model._scratch)).encode())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True,
                          env={"PYTHONPATH": ":".join(sys.path), "PLC_HOME": str(_library.home())})
    assert "was opened before fork(), and its threads are the parent's: open the module in the child" in done.stdout
    assert done.stdout.endswith("True")


@pytest.fixture
def anew():
    """Lets the folder of plc be looked for again, in the test and behind it."""
    _library.home.cache_clear()
    yield
    _library.home.cache_clear()


def test_plc_home(tmp_path, monkeypatch, anew):
    found = _library.home()
    with pytest.raises(plc.Error, match="found no program '.*/bin/plc-none'"):
        _library.program("plc-none")
    _library.home.cache_clear()
    monkeypatch.setenv("PLC_HOME", str(tmp_path))
    with pytest.raises(plc.Error, match="found PLC_HOME '.*', which has no lib/libplcrt.so.0"):
        _library.home()
    monkeypatch.setenv("PLC_HOME", str(found))
    assert _library.home() == found


def test_no_plc_is_found(tmp_path, monkeypatch, anew):
    monkeypatch.delenv("PLC_HOME", raising=False)
    monkeypatch.setattr(_library, "_homes", lambda: iter([tmp_path / "a", tmp_path / "b"]))
    with pytest.raises(plc.Error, match="found no libplcrt.so.0 below '.*/a', '.*/b'; set PLC_HOME to the folder"):
        _library.home()


def test_the_version():
    assert len(plc.version().split(".")) == 3
