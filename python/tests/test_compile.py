"""What plc.compile gives to plc-compile, and plans."""
import json
import pathlib
import sys
import types

import numpy
import pytest

import plc
from plc import _compiler, _weights


def test_strategies_sizes_and_settings(folder, tmp_path):
    (tmp_path / "two.toml").write_text("parallelism = { stages = 2, micro_batches = 2 }\n")
    keys = {"parallelism": {"stages": 2}, "parallelism.micro_batches": 2}
    for strategy in (tmp_path / "two.toml", keys):
        with plc.compile(folder / "text.ein", strategy=strategy, settings={"optimizer.kind": "sgd"},
                         dims={"L": 3, "B": 2}) as model:
            assert [stage["name"] for stage in model.plan["stages"]] == ["s0", "s1"]
            assert model.plan["micro_batches"] == 2
            assert "dense.2.w" in model.parameters
            assert model.inputs()["tok"] == plc.TensorInfo("tok", "i32", (2, 8))
    arguments = _compiler._strategy_arguments({"a": {"b": [1, 2.5], "c": True}}, {"a.c": False, "d": "x y", "e": {}})
    assert arguments == ["--set", "a.b=[1, 2.5]", "--set", "a.c=false", "--set", 'd="x y"']


def test_a_plan_changes_no_bit(folder, batch):
    losses = []
    for stages in (1, 2):
        with plc.compile(folder / "text.ein", settings={"parallelism.stages": stages}) as model:
            losses.append(model.fit([batch] * 3, 3))
    assert losses[0] == losses[1]


def test_one_of_several_models(tmp_path):
    (tmp_path / "two.ein").write_text("model a(x[2]) -> y[2] { y = x }\nmodel b(x[3]) -> z[3] { z[i] = 2 * x[i] }\n")
    with plc.compile(tmp_path / "two.ein", entry="b") as model:
        assert model.infer(x=[1, 2, 3])["z"].tolist() == [2, 4, 6]
    with pytest.raises(plc.Error, match="entry"):
        plc.compile(tmp_path / "two.ein")


def test_sizes_of_a_config(folder, tmp_path):
    sizes = tmp_path / "map.toml"
    sizes.write_text('[sizes]\nD = "hidden_size"\nL = "num_layers"\n')
    given = {"hidden_size": 8, "num_layers": 3, "other": [1]}
    file = tmp_path / "config.json"
    file.write_text(json.dumps(given))
    for config in given, file:
        with plc.compile(folder / "text.ein", config=config, map=sizes, dims={"L": 1}) as model:
            assert model.parameters["embed.w"].shape == (256, 8)
            assert {name for name in model.parameters if name.startswith("dense")} == {"dense.0.w"}
    with pytest.raises(plc.Error, match="config.json: error: has no 'hidden_size', which sets the size 'D'"):
        plc.compile(folder / "text.ein", config={"num_layers": 3}, map=sizes)
    with pytest.raises(plc.Error, match="option '--config' needs '--map FILE'"):
        plc.compile(folder / "text.ein", config=given)


def test_the_plan_has_a_timeline_if_it_was_compiled_here(folder, text):
    with plc.compile(folder / "text.ein", settings={"parallelism.micro_batches": 2}, rates="shipped") as model:
        plan = model.plan
        assert [(task["kind"], task["micro_batch"]) for task in plan["timeline"]] == [("F", 0), ("B", 0), ("F", 1),
                                                                                      ("B", 1)]
        assert plan["timeline"][-1]["end_ns"] <= plan["step_ns"]
        assert plan["stages"][0]["peak_bytes"] >= plan["stages"][0]["peak_bound_bytes"] > 0
        assert plan["explanation"]["arenas"][0]["bytes"] == plan["stages"][0]["peak_bytes"]
        assert model.plan == plan
    assert "timeline" not in text.plan and text.plan["stages"][0]["name"] == "s0"


def test_a_plan_of_another_text_is_refused(tmp_path):
    file = tmp_path / "m.ein"
    source = "dim N = 512\nmodel m(x[N, N]) -> y[N, N] { y[i, k] = x[i, j] * x[j, k] }\n"
    file.write_text(source)
    with plc.compile(file) as model:
        file.write_text(source.replace("512", "256"))
        with pytest.raises(plc.Error, match="the model's file or the rates have changed since it was compiled"):
            model.plan


def test_a_warning_of_the_compiler_is_one_of_python(monkeypatch):
    done = types.SimpleNamespace(returncode=0, stdout="", stderr="m.ein:1:2: warning: it is odd\nit works\n")
    monkeypatch.setattr(_compiler.subprocess, "run", lambda *given, **named: done)
    with pytest.warns(UserWarning, match="m.ein:1:2: warning: it is odd"):
        _compiler.run_compiler(["m.ein"])
    done.returncode, done.stderr = -9, ""
    with pytest.raises(plc.Error, match="plc-compile: error: ended by signal 9") as raised:
        _compiler.run_compiler(["m.ein"])
    assert raised.value.exit_code == 70


def test_no_files_are_left_behind(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(_compiler.tempfile, "tempdir", str(tmp_path))
    with plc.compile(folder / "text.ein") as model:
        model.generate([1], tokens=1)
        assert len(list(tmp_path.iterdir())) == 1
    for wrong in ({"dims": {"B": -1}}, {"threads_per_stage": 300}):
        with pytest.raises(plc.Error):
            plc.compile(folder / "text.ein", **wrong)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_model(folder, monkeypatch):
    with pytest.raises(plc.Error, match="found a model of type 'int', expected a file, a torch.nn.Module or a JAX"):
        plc.compile(3)
    with pytest.raises(plc.Error, match="example_inputs belong to a PyTorch module or a JAX function, found a file"):
        plc.compile(folder / "text.ein", [1])
    with pytest.raises(plc.Error, match="a JAX function needs example_inputs, a tuple of its arguments"):
        plc.compile(lambda x: x)
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(plc.Error, match="a function needs JAX: "):
        plc.compile(lambda x: x, [numpy.zeros(2)])


INPUTS = pathlib.Path(__file__).parents[2] / "test" / "Import" / "Inputs"


def test_an_archive_has_its_weights():
    data = numpy.load(INPUTS / "mlp.npz")
    model = plc.compile(INPUTS / "mlp.pt2", loss="cross_entropy(output, label)")
    numpy.testing.assert_allclose(model.infer(input=data["in:input"], label=data["in:label"])["y"], data["out:0"], atol=1e-5)
    loss, gradients = model.gradients(input=data["in:input"], label=data["in:label"])
    numpy.testing.assert_allclose(loss, data["loss"], atol=1e-5)
    numpy.testing.assert_allclose(gradients["block.weight"], data["grad:0.weight"], atol=1e-5)
    with pytest.raises(plc.Error, match="loss is for imported models; a file of rules has its own"):
        plc.compile(INPUTS / "no.ein", loss="huber(y, t)")


class Stored:
    """A tensor as a module has it."""

    def __init__(self, values, place):
        self.values, self.place, self.shape = values, place, values.shape

    def detach(self):
        return self

    def data_ptr(self):
        return self.place

    def numpy(self):
        return self.values


def test_names_and_shapes_that_a_model_had():
    state = {"wte": Stored(numpy.zeros((2, 6)), 1), "head": Stored(numpy.zeros((2, 6)), 1), "count": Stored(numpy.ones(1), 2)}
    names = _weights.OriginalNames({"embed.w": "wte", "constants.c": "constant"}, state)
    values = {"embed.w": numpy.arange(12.0).reshape(2, 3, 2), "constants.c": numpy.ones(3)}
    restored = names.restore(values)
    assert restored.keys() == state.keys() and restored["count"] == 1
    for tied in "wte", "head":
        numpy.testing.assert_equal(restored[tied], numpy.arange(12.0).reshape(2, 6))
    back = names.translate(restored, values)
    assert back.keys() == values.keys()
    numpy.testing.assert_equal(back["embed.w"], values["embed.w"])
    assert names.translate(values, values) is values
    numpy.testing.assert_equal(names.translate({"wte": restored["wte"]}, values)["embed.w"], values["embed.w"])
    with pytest.raises(plc.Error, match="the state_dict lacks 1 of 1 parameters, such as 'wte'"):
        names.translate({"other": 1}, values)


def test_pytorch_takes_trained_weights_back():
    torch = pytest.importorskip("torch")
    module = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
    x, label = torch.randn(4, 6), torch.tensor([0, 1, 2, 1])
    model = plc.compile(module, (x,), loss="cross_entropy(output, label)")
    loss = torch.nn.functional.cross_entropy(module(x), label).item()
    numpy.testing.assert_allclose(model.train_step(input=x, label=label.int()), loss, atol=1e-5)
    before = module(x).detach().numpy()
    module.load_state_dict({name: torch.from_numpy(values) for name, values in model.state_dict().items()})
    after = module(x).detach().numpy()
    assert abs(after - before).max() > 1e-5
    numpy.testing.assert_allclose(model.infer(input=x, label=label.int())["y"], after, atol=1e-5)
    model.load(module.state_dict())
    numpy.testing.assert_allclose(model.infer(input=x, label=label.int())["y"], after, atol=1e-5)


def test_parameters_of_jax_are_leaves():
    jax = pytest.importorskip("jax")
    params = {"layers": [{"w": numpy.full((3, 3), i, "f4"), "b": numpy.ones(3, "f4")} for i in (1, 2)]}

    def net(params, x):
        for layer in params["layers"]:
            x = jax.numpy.tanh(x @ layer["w"] + layer["b"])
        return x

    x = numpy.linspace(-1, 1, 6, dtype="f4").reshape(2, 3)
    found = plc.compile(net, (params, x)).infer(x=x)
    numpy.testing.assert_allclose(next(iter(found.values())), net(params, x), atol=2e-5)


def check_import(model, inputs, expected):
    """A framework's model computes what the framework does."""
    compiled = plc.compile(model, inputs)
    found = compiled.infer(dict(zip(compiled.inputs(), inputs)))
    numpy.testing.assert_allclose(next(iter(found.values())), expected, atol=2e-5)


def test_a_function_of_jax_becomes_stablehlo(tmp_path):
    pytest.importorskip("jax")
    inputs = (numpy.ones((2, 3), "f4"), numpy.ones((3, 4), "f4"))
    file = _compiler._lower_jax(lambda x, w: x @ w, inputs, tmp_path / "model.mlir")
    text = open(file).read()
    assert '"stablehlo.dot_general"' in text and "loc(" in text
    check_import(lambda x, w: x @ w, inputs, inputs[0] @ inputs[1])


def test_a_module_of_pytorch_becomes_an_archive(tmp_path):
    torch = pytest.importorskip("torch")
    with pytest.raises(plc.Error, match="a PyTorch module needs example_inputs, a tuple of its arguments"):
        plc.compile(torch.nn.Linear(3, 4))
    module, inputs = torch.nn.Linear(3, 4), (torch.ones(2, 3),)
    named = plc.compile(module, {"input": inputs[0]})
    numpy.testing.assert_allclose(named.infer(input=inputs[0])["y"], module(*inputs).detach().numpy(), atol=1e-5)
    for model in (module, torch.export.export(module, inputs)):
        file = _compiler._source(model, inputs, tmp_path)
        assert file.endswith("model.pt2") and open(file, "rb").read(2) == b"PK"
    check_import(module, inputs, module(*inputs).detach().numpy())
