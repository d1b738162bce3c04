"""Results, states, parameters and texts of a model."""
import json
import subprocess

import numpy
import pytest

import plc
from plc._library import program


def test_infer_computes_what_the_inputs_suffice_for(text, batch):
    both = text.infer(batch)
    assert {name: value.shape for name, value in both.items()} == {"loss": (), "logits": (4, 8, 256)}
    only = text.infer(tok=batch["tok"])
    assert set(only) == {"logits"} and (only["logits"] == both["logits"]).all()
    assert set(text.infer(batch["tok"] is not None and {"tok": batch["tok"]}, outputs=["logits"])) == {"logits"}
    assert float(text.evaluate(batch)["loss"]) == float(both["loss"])


def test_an_output_is_computed_from_numpy(text, batch):
    weights = text.state_dict()
    x = weights["embed.w"][batch["tok"]]
    for layer in ("dense.0", "dense.1"):
        x = x + numpy.maximum(x @ weights[f"{layer}.w"], 0)
    numpy.testing.assert_allclose(text.infer(tok=batch["tok"])["logits"], x @ weights["head.w"], atol=1e-5)


PACKED = """
dim B = 4, D = 3
batch B
layer mix(x[B, D]) -> y[B, D], z[B, D] {
  param w[D, 3, D] ~ normal(0.5)
  y[b, e] = x[b, d] * w[d, 0, e] + tanh(x[b, d] * w[d, 1, e])
  z[b, e] = x[b, d] * w[d, 2, e]
}
model packed(x[B, D]) -> loss, z[B, D] {
  y, z = mix(x)
  loss = mean[b](sum[e](y[b, e] * y[b, e]))
}
"""


def test_a_parameter_that_is_read_in_slices_is_whole(tmp_path):
    (tmp_path / "packed.ein").write_text(PACKED.lstrip())
    strategy = {"optimizer": {"kind": "adamw", "lr": 0.1, "weight_decay": 0.5}}
    x = numpy.random.default_rng(0).standard_normal((4, 3)).astype("f4")
    with plc.compile(tmp_path / "packed.ein", strategy=strategy, outputs=["z", "grad(mix.w)"]) as model:
        assert {name: info.shape for name, info in model.parameters.items()} == {"mix.w": (3, 3, 3)}
        w = numpy.arange(27, dtype="f4").reshape(3, 3, 3) / 27
        model.load({"mix.w": w})
        assert (model.state_dict()["mix.w"] == w).all()
        numpy.testing.assert_allclose(model.infer(x=x)["z"], x @ w[:, 2], rtol=1e-5, atol=1e-6)
        gradient = model.gradients({"x": x})[1]["mix.w"]
        y, inner = x @ w[:, 0] + numpy.tanh(x @ w[:, 1]), 1 - numpy.tanh(x @ w[:, 1]) ** 2
        numpy.testing.assert_allclose(gradient[:, 0], x.T @ (2 * y / 4), rtol=1e-4, atol=1e-5)
        numpy.testing.assert_allclose(gradient[:, 1], x.T @ (2 * y / 4 * inner), rtol=1e-4, atol=1e-5)
        assert (gradient[:, 2] == 0).all()  # the loss does not depend on it
        assert (model.infer({"x": x}, outputs=["grad(mix.w)"])["grad(mix.w)"] == gradient).all()
        model.train_step({"x": x})
        # The decay of weights is that of the whole.
        numpy.testing.assert_allclose(model.state_dict()["mix.w"][:, 2], 0.95 * w[:, 2], rtol=1e-5)
        model.save(tmp_path / "run")
        after = model.state_dict()["mix.w"]
    with plc.compile(tmp_path / "packed.ein", strategy=strategy) as model:
        model.load(tmp_path / "run")
        assert (model.state_dict()["mix.w"] == after).all()


def test_outputs_can_be_gradients_and_values(folder, batch):
    with plc.compile(folder / "text.ein", outputs=["grad(head.w)", "dense.1.y"]) as model:
        found = model.infer(batch, outputs=["dense.1.y", "grad(head.w)"])
        assert {name: value.shape for name, value in found.items()} == {"dense.1.y": (4, 8, 16),
                                                                        "grad(head.w)": (16, 256)}
        assert (found["grad(head.w)"] == model.gradients(batch)[1]["head.w"]).all()


def test_outputs_are_written_in_place(text, batch):
    mine = numpy.zeros((4, 8, 256), "f4")
    found = text.infer(batch, out={"logits": mine})
    assert found["logits"] is mine and mine.any()
    for wrong in (numpy.zeros((4, 8, 256), "f8"), numpy.zeros((4, 8, 512), "f4")[:, :, ::2], [0]):
        with pytest.raises(plc.Error, match=r"output 'logits' needs a dense tensor of f32\[4, 8, 256\] that can be "):
            text.infer(batch, out={"logits": wrong})
    mine.flags.writeable = False
    with pytest.raises(plc.Error, match="that can be written"):
        text.infer(batch, out={"logits": mine})
    with pytest.raises(plc.Error, match=r"found shape \[2\] for output 'logits', expected \[4, 8, 256\]"):
        text.infer(batch, out={"logits": numpy.zeros(2, "f4")})
    with pytest.raises(plc.Error, match="entry 'infer' has no output 'none'; its outputs are 'loss', 'logits'"):
        text.infer(batch, out={"none": mine})


def test_a_state_goes_on_until_a_restart(folder):
    with plc.load(folder / "sums.plcm") as model:
        x = numpy.arange(4, dtype="f4")
        assert model.infer(x=x)["total"].tolist() == [0.5, 1.5, 2.5, 3.5]
        assert model.infer(x=x)["total"].tolist() == [0.5, 2.5, 4.5, 6.5]
        model.restart()
        assert model.infer(x=x)["total"].tolist() == [0.5, 1.5, 2.5, 3.5]


def test_draws_can_be_given(draws):
    x = numpy.ones(4, "f4")
    first = draws.infer(x=x)["y"]
    assert (draws.infer(x=x)["y"] == first).all() and len(set(first)) == 4
    keys = {"x": x, "random(lin)": numpy.zeros(4, "i8")}
    assert len(set(draws.infer(keys)["y"])) == 1


def test_parameters_come_back(folder, text, tmp_path):
    weights = text.state_dict()
    assert [*weights] == [*text.parameters] == ["embed.w", "dense.0.w", "dense.1.w", "head.w"]
    text.save(tmp_path / "w.safetensors")
    text.save(tmp_path / "run")
    for source in (weights, tmp_path / "w.safetensors", tmp_path / "run"):
        with plc.load(folder / "text.plcm", seed=3) as other:
            assert (other.state_dict()["head.w"] != weights["head.w"]).any()
            other.load(source)
            assert all((value == weights[name]).all() for name, value in other.state_dict().items())


def test_other_names_and_types_are_loaded(folder, text, tmp_path):
    weights = text.state_dict()
    theirs = {name.replace(".", "_"): value.astype("f8") for name, value in weights.items()}
    theirs["head_w"] = theirs["head_w"].T.copy()
    names = {"embed.w": "embed_w", "dense.{l}.w": "dense_{l}_w", "head.w": {"from": "head_w", "transpose": True}}
    (tmp_path / "map.toml").write_text('[parameters]\n"embed.w" = "embed_w"\n"dense.{l}.w" = "dense_{l}_w"\n'
                                       '"head.w" = { from = "head_w", transpose = true }\n')
    for given in (names, tmp_path / "map.toml"):
        with plc.load(folder / "text.plcm", seed=3) as other:
            other.load(theirs, map=given)
            assert all((value == weights[name]).all() for name, value in other.state_dict().items())
            other.save(tmp_path / "theirs.safetensors", map=given)  # the map read backwards
            other.initialize(3)
            other.load(tmp_path / "theirs.safetensors", map=given)
            assert all((value == weights[name]).all() for name, value in other.state_dict().items())
    data = (tmp_path / "theirs.safetensors").read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    assert header.keys() - {"__metadata__"} == theirs.keys() and header["head_w"]["shape"] == [256, 16]
    with pytest.raises(plc.Error, match="'dense.0.w' and 'dense.1.w' have different values for element .* of tensor 'w'"):
        text.save(tmp_path / "one.safetensors", map={"dense.{l}.w": "w"})
    with pytest.raises(plc.Error, match="map is for a file of parameters, found .*, expected a name that ends in"):
        text.save(tmp_path / "run", map=names)
    with pytest.raises(plc.Error, match="4 of 4 parameters cannot be loaded") as raised:
        text.load(theirs)
    assert raised.value.exit_code == 1
    with pytest.raises(plc.Error, match="found 3 in a state_dict, expected the name of a tensor"):
        text.load({3: weights["head.w"]})


def test_texts_are_those_of_plc_run(text, batch, tmp_path):
    text.train_step(batch)
    text.save(tmp_path / "run")
    command = [program("plc-run"), "generate", text.file, "--params", tmp_path / "run", "--prompt-ids", "72,101"]
    done = subprocess.run([*command, "--tokens", "5"], check=True, capture_output=True, text=True).stdout
    expected = [int(number) for number in done.replace(",", " ").split()][2:]
    assert text.generate([72, 101], tokens=5) == expected
    assert text.generate([[72, 101], [1]], tokens=5)[0] == expected
    before = text.generate("He", tokens=4, temperature=0, stop="never")
    assert isinstance(before, str) and text.generate(["He"], tokens=4, temperature=0) == [before]
    text.fit([batch] * 30, 30)  # other parameters, another text
    text.set("optimizer.lr", 0.1)
    text.fit([batch] * 30, 30)
    assert text.generate("He", tokens=4, temperature=0) != before
    with pytest.raises(plc.Error, match="outside the model's 0..255") as raised:
        text.generate([300])
    assert raised.value.exit_code == 2
    with pytest.raises(plc.Error, match="found no prompt"):
        text.generate([])


def test_other_inputs_of_a_text_are_given(tmp_path):
    (tmp_path / "caption.ein").write_text("""dim B = 2, S = 8, V = 16, D = 4, I = 5
batch B
layer net(img[B, I], tok: i32[B, S]) -> z[B, S, V] {
  param w[V, D], p[I, D], o[D, V] ~ normal(0.5)
  h[b, s, d] = w[tok[b, s], d]
  h[b, s, d] += img[b, i] * p[i, d]
  z[b, s, v] = h[b, s, d] * o[d, v]
}
model caption(img[B, I], tok: i32[B, S]) -> logits[B, S, V] { logits = net(img, tok) }
""")
    with plc.compile(tmp_path / "caption.ein") as model:
        found = model.generate([[1, 2], [1, 2]], tokens=4, temperature=0, inputs={"img": 9 * numpy.eye(2, 5)})
        assert len(found[0]) == len(found[1]) == 4 and found[0] != found[1]
