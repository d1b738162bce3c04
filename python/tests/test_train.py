"""Training from Python: the bits of plc-run train, checkpoints, settings, Ctrl-C."""
import json
import os
import signal
import subprocess
import sys
import threading

import numpy
import pytest

import plc
from plc._library import program


def train_by_program(folder, model, inputs, steps, *more):
    """The bits of the losses of plc-run train where all the data is one batch."""
    data = []
    for name, value in inputs.items():
        numpy.save(folder / f"{name}.npy", value)
        data += ["--data", f"{name}={folder / name}.npy"]
    log = folder / "log.jsonl"
    subprocess.run([program("plc-run"), "train", model, *data, "--holdout", "0", "--steps", str(steps), "--log", log,
                    "--overwrite", *more], check=True, capture_output=True)
    return [row["loss_bits"] for row in map(json.loads, log.read_text().splitlines()) if "step" in row]


def bits(losses):
    return [f"{numpy.float32(loss).view('u4'):08x}" for loss in losses]


def test_steps_have_the_bits_of_plc_run(folder, text, tmp_path):
    row = numpy.arange(8, dtype="i4")
    rows = {"tok": numpy.tile(row, (4, 1)), "next": numpy.tile(row + 1, (4, 1))}  # equal rows: any order is the same
    expected = train_by_program(tmp_path, folder / "text.plcm", rows, 3)
    assert bits(text.train_step(rows) for _ in range(3)) == expected
    assert text.step == 3


def test_draws_are_those_of_plc_run(folder, tmp_path):
    rows = {"x": numpy.ones(4, "f4")}
    expected = train_by_program(tmp_path, folder / "draws.plcm", rows, 3, "--seed", "7")
    with plc.load(folder / "draws.plcm", seed=7) as model:
        assert bits(model.train_step(rows) for _ in range(3)) == expected
        assert len(set(expected)) == 3


def test_gradients_are_those_of_a_step(folder, text, batch):
    loss, gradients = text.gradients(batch)
    before = text.state_dict()
    assert set(gradients) == set(text.parameters)
    assert gradients["embed.w"].shape == (256, 16)
    with plc.compile(folder / "text.ein", strategy={"optimizer": {"kind": "sgd", "lr": 0.5}}) as model:
        assert model.train_step(batch) == loss
        after = model.state_dict()
    for name, gradient in gradients.items():
        numpy.testing.assert_allclose(before[name] - after[name], 0.5 * gradient, rtol=1e-4, atol=1e-7)


def test_a_resumed_training_has_the_same_bits(folder, text, batch, tmp_path):
    text.fit([batch] * 3, 3)
    text.save(tmp_path / "run")
    expected = text.fit([batch] * 2, 2)
    with plc.load(folder / "text.plcm", seed=5) as other:
        other.resume(tmp_path / "run")
        assert (other.step, other.seed) == (3, 0)
        assert other.fit([batch] * 2, 2) == expected
        other.initialize(5)
        assert (other.step, other.seed) == (0, 5)


def test_settings_take_effect_with_the_next_step(text, batch):
    before = text.state_dict()["head.w"]
    text.set("optimizer.lr", 0.0)
    text.train_step(batch)
    assert (text.state_dict()["head.w"] == before).all()
    text.set("optimizer.lr", "0.1")
    text.set("training.nonfinite", "skip")
    text.train_step(batch)
    assert (text.state_dict()["head.w"] != before).any()
    with pytest.raises(plc.Error, match="unknown key 'optimizer.lrr'; the nearest is 'optimizer.lr'") as raised:
        text.set("optimizer.lrr", 1)
    assert raised.value.exit_code == 2


def test_fit_calls_back_and_draws_a_bar(text, batch, capsys, monkeypatch):
    calls = []
    losses = text.fit(lambda step: batch, 3, progress=lambda *call: calls.append(call))
    assert calls == [(step, 3, losses[step - 1]) for step in (1, 2, 3)]
    assert capsys.readouterr().err == ""
    text.fit([batch] * 2, 2, progress=True)
    bar = capsys.readouterr().err
    assert "\rstep 4/5 [###################.....] loss" in bar and bar.endswith("steps/s \n")
    text.fit([batch], 1)  # no terminal, no notebook
    assert capsys.readouterr().err == ""
    monkeypatch.setitem(sys.modules, "ipykernel", object())  # a notebook
    text.fit([batch], 1)
    assert "\rstep 7/7 [########################] loss" in capsys.readouterr().err
    with pytest.raises(plc.Error, match="found no batch for step 9 of 9"):
        text.fit([batch], 2)
    assert text.step == 8
    with pytest.raises(plc.Error, match="found one mapping as data, expected an iterable of batches or a function"):
        text.fit(batch, 2)


def test_averages_of_parameters(folder, text, batch, tmp_path):
    with plc.compile(folder / "text.ein", settings={"optimizer.ema": 0.5}) as model:
        other = text.fit([batch] * 4, 4)
        values, averages = model.state_dict(), model.state_dict()
        losses = []
        for step in range(4):
            losses.append(model.train_step(batch))
            values = model.state_dict()
            averages = {name: numpy.float32(0.5) * old + numpy.float32(0.5) * values[name]
                        for name, old in averages.items()}
            found = model.evaluate(batch, averages=True)["loss"]
            assert found != model.evaluate(batch)["loss"]
            text.load(averages)
            assert found == text.evaluate(batch)["loss"]
            assert (model.infer(tok=batch["tok"], averages=True)["logits"] == text.infer(tok=batch["tok"])["logits"]).all()
        assert losses == other  # an evaluation in between changes no step
        assert all((model.state_dict(averages=True)[name] == value).all() for name, value in averages.items())
        assert model.generate([1, 2], tokens=8, averages=True) == text.generate([1, 2], tokens=8)
        for given, expected in (({"averages": True}, averages), ({}, values)):
            model.generate([1, 2], tokens=1, **given)
            text.load(os.path.join(model._scratch, "parameters.safetensors"))
            assert all((text.state_dict()[name] == value).all() for name, value in expected.items())
        model.save(tmp_path / "run")
        model.save(tmp_path / "averages.safetensors", averages=True)
        for source, given in ((tmp_path / "run", {"averages": True}), (tmp_path / "averages.safetensors", {})):
            text.initialize(3)
            text.load(source, **given)
            assert all((text.state_dict()[name] == value).all() for name, value in averages.items())
        with pytest.raises(plc.Error, match="averages is for a file of parameters, found .*, expected a name that ends"):
            model.save(tmp_path / "run", averages=True)
    with pytest.raises(plc.Error, match="the module keeps no averages; one that is compiled with 'optimizer.ema'"):
        text.evaluate(batch, averages=True)
    with pytest.raises(plc.Error, match="averages are those of a checkpoint, found tensors"):
        text.load(averages, averages=True)


def test_a_step_that_fails_changes_nothing(draws):
    draws.train_step(x=numpy.ones(4, "f4"))
    before = draws.state_dict()["lin.w"]
    with pytest.raises(plc.Error, match="step 2 is not finite: found nan") as raised:
        draws.train_step(x=[1, 1, -1, 1])
    assert raised.value.exit_code == 6
    assert any("'training.nonfinite = \"skip\"'" in note for note in raised.value.notes)
    assert draws.step == 1 and (draws.state_dict()["lin.w"] == before).all()
    draws.train_step(x=numpy.ones(4, "f4"))
    assert draws.step == 2


def test_ctrl_c_ends_after_a_whole_step(folder, text, batch):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            text.fit(lambda step: batch, 10**6)
    finally:
        signal.signal(signal.SIGINT, before)
    timer.join()
    with plc.load(folder / "text.plcm") as other:
        other.fit([batch] * text.step, text.step)
        assert all((text.state_dict()[name] == value).all() for name, value in other.state_dict().items())
    text.train_step(batch)


def test_threads_run_models_at_once(folder, batch):
    def train(losses):
        with plc.load(folder / "text.plcm") as model:
            losses += model.fit([batch] * 20, 20)

    results = [[], [], []]
    threads = [threading.Thread(target=train, args=(result,)) for result in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results[0] == results[1] == results[2] and len(results[0]) == 20


def test_the_gil_is_free_while_a_step_runs(folder, batch):
    counted, goes_on = 0, True

    def count():
        nonlocal counted
        while goes_on:
            counted += 1

    with plc.compile(folder / "text.ein", dims={"S": 512, "D": 256}) as model:
        big = {name: numpy.zeros((4, 512), "i4") for name in batch}
        model.train_step(big)
        thread = threading.Thread(target=count)
        thread.start()
        before = counted
        model.train_step(big)
        during = counted - before
        goes_on = False
        thread.join()
    assert during > 100
