"""import_models.py [NAME..] [--core] [--sizes]: imports small models of PyTorch and `transformers`, and compares with PyTorch.

For each architecture: lines of the rules, whether results are PyTorch's in one and in two stages, with the same bits. --core reads
graphs after `run_decompositions()`. --sizes runs the same rules at a batch and a length that were not exported. Results go to
import_models.csv beside this file. Needs torch, transformers, numpy; programs of plc are taken from PATH.
"""
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
import numpy
import torch
import transformers

torch.set_num_threads(1)
SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "vocab_size": 96,
         "max_position_embeddings": 64}
GROUPED = SMALL | {"num_key_value_heads": 2, "head_dim": 8}
EXPERTS = GROUPED | {"num_experts": 4, "num_experts_per_tok": 2}
GPT = {"n_embd": 32, "n_layer": 2, "n_head": 4, "vocab_size": 96, "n_positions": 64, "hidden_size": 32}
IMAGE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "image_size": 32, "patch_size": 8}
BOTH = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
        "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "vocab_size": 96, "max_position_embeddings": 64}
LM, BASE = transformers.AutoModelForCausalLM, transformers.AutoModel


def tokens(batch=2, length=12):
    return {"input_ids": torch.randint(3, 90, (batch, length))}


def masked(batch=2, length=12):
    return tokens(batch, length) | {"attention_mask": torch.ones(batch, length, dtype=torch.long)}


def pair(batch=2, length=12):
    return tokens(batch, length) | {"decoder_input_ids": torch.randint(3, 90, (batch, 8))}


def image(batch=2, length=32):
    return {"pixel_values": torch.randn(batch, 3, length, length)}


# name: class, model type, configuration, inputs
MODELS = {name: (LM, name, GROUPED, tokens) for name in ("llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text", "stablelm",
                                                         "olmo2", "granite", "cohere", "starcoder2", "smollm3")}
MODELS |= {name: (BASE, name, SMALL, masked) for name in ("bert", "roberta", "mpnet", "nomic_bert", "xlm-roberta")}
MODELS |= {name: (BASE, name, IMAGE, image) for name in ("vit", "deit", "beit", "siglip_vision_model")}
MODELS |= {
    "gpt2": (LM, "gpt2", GPT, tokens),
    "gptj": (LM, "gptj", GPT | {"rotary_dim": 4}, tokens),
    "gpt_neox": (LM, "gpt_neox", SMALL, tokens),
    "opt": (LM, "opt", SMALL | {"ffn_dim": 64, "word_embed_proj_dim": 32}, tokens),
    "bloom": (LM, "bloom", {"hidden_size": 32, "n_layer": 2, "n_head": 4, "vocab_size": 96}, tokens),
    "falcon": (LM, "falcon", {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 96}, tokens),
    "phi": (LM, "phi", SMALL, tokens),
    "phi3": (LM, "phi3", GROUPED | {"pad_token_id": 0}, tokens),
    "glm4": (LM, "glm4", GROUPED | {"pad_token_id": 0}, tokens),
    "mixtral": (LM, "mixtral", GROUPED | {"num_local_experts": 4}, tokens),
    "gpt_oss": (LM, "gpt_oss", GROUPED | {"num_local_experts": 4, "num_experts_per_tok": 2}, tokens),
    "qwen3_moe": (LM, "qwen3_moe", EXPERTS | {"moe_intermediate_size": 32}, tokens),
    "olmoe": (LM, "olmoe", EXPERTS, tokens),
    "mamba": (LM, "mamba", {"hidden_size": 32, "num_hidden_layers": 2, "vocab_size": 96, "state_size": 8}, tokens),
    "distilbert": (BASE, "distilbert", {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64, "vocab_size": 96,
                                        "max_position_embeddings": 64}, masked),
    "albert": (BASE, "albert", SMALL | {"embedding_size": 16}, masked),
    "electra": (BASE, "electra", SMALL | {"embedding_size": 16}, masked),
    "t5": (BASE, "t5", {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4, "vocab_size": 96}, pair),
    "bart": (BASE, "bart", BOTH, pair),
    "marian": (BASE, "marian", BOTH | {"pad_token_id": 0}, pair),
    "dinov2": (BASE, "dinov2", IMAGE | {"mlp_ratio": 2}, image),
    "convnext": (BASE, "convnext", {"hidden_sizes": [16, 32], "depths": [1, 1], "num_stages": 2}, image),
    "resnet": (BASE, "resnet", {"embedding_size": 16, "hidden_sizes": [16, 32], "depths": [1, 1]}, image),
    "swin": (BASE, "swin", {"embed_dim": 16, "depths": [1, 1], "num_heads": [2, 2], "image_size": 32, "patch_size": 4, "window_size": 4}, image),
}


def build(name):
    kind, model_type, options, inputs = MODELS[name]
    torch.manual_seed(0)
    config = transformers.AutoConfig.for_model(model_type, **options)
    config.use_cache, config._experts_implementation = False, "batched_mm"
    config.pad_token_id = 0 if (getattr(config, "pad_token_id", 0) or 0) > 90 else getattr(config, "pad_token_id", None)
    config._attn_implementation = "eager" if "--core" in sys.argv else "sdpa"
    try:
        model = kind.from_config(config).eval()
    except ValueError:  # of few, only the written-out attention exists
        config._attn_implementation = "eager"
        model = kind.from_config(config).eval()
    with torch.no_grad():  # no bias is 0 and no gain 1, so that a forgotten one shows
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.1 * torch.randn(parameter.shape))
    return model, inputs


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError((done.stdout + done.stderr).strip()[:300])


def infer(rules, weights, inputs, outputs, scratch, *options):
    for key, value in inputs.items():
        numpy.save(scratch / f"{key}.npy", value.numpy().astype("i4") if not value.is_floating_point() else value.numpy())
    given = [f"{'tok' if key == 'input_ids' else key}=@{scratch}/{key}.npy" for key in inputs]
    wanted = [f"{name}=@{scratch}/out{i}.npy" for i, name in enumerate(outputs)]
    run("plc-run", "infer", rules, "--params", weights, *options, *(word for each in given for word in ("--input", each)),
        *(word for each in wanted for word in ("--output", each)))
    return [numpy.load(scratch / f"out{i}.npy") for i in range(len(outputs))]


def difference(model, inputs, found):
    with torch.no_grad():
        results = model(**inputs)
    expected = [value.numpy() for value in results.to_tuple() if isinstance(value, torch.Tensor)]
    return max(float(abs(value - mine.reshape(value.shape)).max() / max(1, abs(value).max())) for value, mine in zip(expected, found))


def measure(name, scratch):
    model, make = build(name)
    inputs = make()
    with torch.no_grad():
        program = torch.export.export(model, (), kwargs=inputs, strict=False)
        program = program.run_decompositions() if "--core" in sys.argv else program
    archive, rules, weights = (scratch / f"{name.replace('-', '_')}.{end}" for end in ("pt2", "ein", "safetensors"))
    torch.export.save(program, archive)
    run("plc-compile", archive, "--emit=ein-source", "-o", rules, "--params", weights)
    text = rules.read_text()
    row = {"model": name, "operators": sum(node.op == "call_function" for node in program.graph.nodes),
           "lines": sum(bool(line.strip()) and not line.startswith("#") for line in text.splitlines())}
    results = re.search(r"^model \w+\(.*\) -> (.*) \{", text, re.M)[1]
    outputs = [word.split(":")[0].strip() for word in re.sub(r"\[[^]]*\]", "", results).split(",")]
    found = [infer(rules, weights, inputs, outputs, scratch, "--set", f"parallelism.stages={stages}") for stages in (1, 2)]
    row["difference"] = f"{difference(model, inputs, found[0]):.1e}"
    row["same_bits"] = all((a == b).all() for a, b in zip(*found))
    if "--sizes" in sys.argv and make is not image:
        inputs = make(3, 20)
        found = infer(rules, weights, inputs, outputs, scratch, "-D", "B=3", "-D", "S=20")
        row["other_sizes"] = f"{difference(model, inputs, found):.1e}"
    return row


rows = []
for name in [word for word in sys.argv[1:] if not word.startswith("--")] or MODELS:
    with tempfile.TemporaryDirectory() as scratch:
        try:
            rows.append(measure(name, pathlib.Path(scratch)))
        except Exception as error:
            rows.append({"model": name, "error": " ".join(str(error).split())[:200]})
    print(rows[-1], flush=True)
fields = ["model", "operators", "lines", "difference", "same_bits", "other_sizes", "error"]
with open(pathlib.Path(__file__).with_suffix(".csv"), "w", newline="") as file:
    writer = csv.DictWriter(file, fields)
    writer.writeheader()
    writer.writerows(rows)
