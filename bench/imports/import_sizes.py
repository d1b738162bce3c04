#!/usr/bin/env python3
"""Measures imported models of real sizes beside the hand-written examples: import, compilation, step and forward pass.

usage: bench/imports/import_sizes.py [NAME..] [--rounds N] [--folder DIR]

Models are built by `transformers` with random weights. Sides alternate; ratios are of medians, more than 1: the imported model
takes longer. Compilation is CPU time without the cache of kernels. `predicted` is the planned step. Of models of more than 400
million parameters no training step is measured. DIR needs up to 4 GB at a time. Needs torch, transformers and numpy."""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

warnings.filterwarnings("ignore")
os.environ |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error", "PLC_THREADS_PER_STAGE": "1"}
root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "python"))
import numpy
import torch
import transformers

import plc

LM, IMAGES = transformers.AutoModelForCausalLM, transformers.AutoModelForImageClassification
LLAMA = {"vocab_size": 32000, "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 4,
         "intermediate_size": 5632}
MIXTRAL = {"vocab_size": 32000, "hidden_size": 1024, "num_hidden_layers": 6, "num_attention_heads": 32, "num_key_value_heads": 8,
           "intermediate_size": 3584}
TEXT, IMAGE = {"input_ids": torch.ones(2, 64, dtype=torch.long)}, {"pixel_values": torch.zeros(2, 3, 224, 224)}
PAIR = TEXT | {"decoder_input_ids": torch.ones(2, 32, dtype=torch.long)}
MASKED = TEXT | {name: torch.ones(2, 64, dtype=torch.long) for name in ("attention_mask", "token_type_ids")}
# class, model type, configuration, inputs, loss; the example and its dims
MODELS = {
    "gpt2": (LM, "gpt2", {}, TEXT, "cross_entropy(logits, label)", "gpt2", {"B": 2}),
    "bert-base": (transformers.AutoModel, "bert", {}, MASKED, None, "bert", {"B": 2}),
    "vit-b16": (IMAGES, "vit", {"num_labels": 1000}, IMAGE, "cross_entropy(logits, label)", "vit", {"B": 2}),
    "resnet50": (IMAGES, "resnet", {"num_labels": 1000}, IMAGE, "cross_entropy(logits, label)", "resnet50", {"M": 2, "G": 1, "KEPT": 1}),
    "t5-small": (transformers.AutoModelForSeq2SeqLM, "t5", {}, PAIR, "cross_entropy(logits, label)", "t5", {"B": 2}),
    "llama-1b": (LM, "llama", LLAMA, TEXT, "cross_entropy(logits, label)", "llama", {"B": 2, "L": 16}),
    "mixtral": (LM, "mixtral", MIXTRAL, TEXT, "cross_entropy(logits, label)", "mixtral", {"B": 2, "L": 6, "D": 1024, "F": 3584}),
}


def run(*command):
    """Seconds, and seconds of CPU."""
    begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([root / "build/bin/plc-compile", *map(str, command)], capture_output=True, text=True,
                          env=os.environ | {"PLC_NO_OBJECT_CACHE": "1"})
    if done.returncode:
        raise RuntimeError(f"{done.returncode} {done.stderr[:500]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - begin, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def export(name, archive):
    kind, model_type, options, inputs, *_ = MODELS[name]
    config = transformers.AutoConfig.for_model(model_type, **options)
    config.use_cache, config._experts_implementation = False, "batched_mm"
    model = kind.from_config(config).eval()
    with torch.no_grad():
        torch.export.save(torch.export.export(model, (), inputs, strict=False), archive)
    return sum(value.numel() for value in model.parameters())


def batch_of(infos):
    draw = numpy.random.default_rng(0)
    return {name: draw.standard_normal(info.shape, numpy.float32) if info.type == "f32" else
            numpy.ones(info.shape, "i4") if name in ("mask", "segment", "attention_mask", "token_type_ids") else
            draw.integers(0, 1000, info.shape, "i4") for name, info in infos.items()}


def ratio(first, second, rounds):
    """Medians of two functions that take turns, their ratio, and its range."""
    pairs = [(first(), second()) for _ in range(rounds)]
    sides = [statistics.median(pair[side] for pair in pairs) for side in (0, 1)]
    ratios = [mine / other for mine, other in pairs]
    return f"{sides[0]:.3f} beside {sides[1]:.3f} s, x {sides[0] / sides[1]:.3f} ({min(ratios):.3f} to {max(ratios):.3f})"


def seconds(function, batch):
    begin = time.process_time()  # other work on the machine hardly changes it
    function(batch)
    return time.process_time() - begin


def compare_runs(modules, is_large, rounds):
    models = [plc.load(module) for module in modules]
    print(f"  predicted: x {models[0].plan['step_ns'] / models[1].plan['step_ns']:.3f}", flush=True)
    for title, entry in (("forward", "infer"), ("step", "train")):
        if entry not in models[0].entries or entry == "train" and is_large:
            continue
        batches = [batch_of(model.inputs(entry)) for model in models]
        functions = [model.train_step if entry == "train" else lambda batch, model=model: model._run(entry, batch) for model in models]
        sides = [lambda side=side: seconds(functions[side], batches[side]) for side in (0, 1)]
        for side in sides:
            side()
        print(f"  {title}: {ratio(*sides, rounds)}", flush=True)


def measure(name, folder, rounds):
    archive, rules, *modules = (folder / f"m.{end}" for end in ("pt2", "ein", "plcm", "hand.plcm"))
    parameters = export(name, archive)
    loss, example, dims = MODELS[name][4:]
    print(f"{name}: {parameters / 1e6:.0f} million parameters", flush=True)
    command = [archive, "--emit=ein-source", "-o", rules, *(["--loss", loss] if loss else [])]
    taken = [run(*command)[0] for _ in range(rounds)]
    lines = sum(bool(line.strip()) and not line.startswith("#") for line in rules.read_text().splitlines())
    print(f"  import: {statistics.median(taken):.2f} s ({min(taken):.2f} to {max(taken):.2f}), {lines} lines", flush=True)
    archive.unlink()
    options = ["--set", "optimizer.kind=sgd"] if loss else []
    sides = ((rules, modules[0]), (root / f"examples/{example}.ein", modules[1], *(f"-D{key}={size}" for key, size in dims.items())))
    sides = [lambda side=side: run(side[0], *side[2:], *options, "-o", side[1])[1] for side in sides]
    print(f"  compilation: {ratio(*sides, min(rounds, 3))}", flush=True)
    compare_runs(modules, parameters > 4e8, rounds)


parser = argparse.ArgumentParser()
parser.add_argument("names", nargs="*")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--folder")
options = parser.parse_args()
for each in options.names or MODELS:
    if options.folder:
        os.makedirs(options.folder, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        measure(each, pathlib.Path(scratch), options.rounds)
