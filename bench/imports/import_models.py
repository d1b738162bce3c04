"""Imports 61 small models of PyTorch and `transformers`, and compares results and gradients with PyTorch's.

usage: bench/imports/import_models.py [NAME..] [--raw] [--core]

Writes import_models.csv beside it: rows of each model as exported (raw), and after `run_decompositions()` (core).

  lines        of the rules
  difference   of all results, f32, one stage; relative to the largest element, if that is more than 1
  same_bits    whether results, loss and gradients have the same bits in two stages
  double       difference of the results of the model in f64
  gradients    largest difference of a parameter's gradient of the mean square of (first result - target), relative to the largest
               element of that gradient, but at least to 1/1000 of the largest of all
  other_sizes  difference at a batch and a length that were not exported; images have another batch
  python       difference of the parameters after a step of SGD by `plc.compile(module, inputs)`, taken back by `load_state_dict`

A cell that fails is empty; `error` says why. PLC_IMPORT_CSV names another file. Needs torch, transformers and numpy.
"""
import csv
import os
import pathlib
import re
import signal
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
folder = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(folder.parents[1] / "python"))
os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "TRANSFORMERS_VERBOSITY": "error"}
import numpy
import torch
import transformers

import plc
from plc._compiler import run_compiler
from plc._weights import read_metadata

torch.set_num_threads(1)
LIMIT = 600  # seconds for a cell
FIELDS = ["model", "form", "operators", "lines", "difference", "same_bits", "double", "gradients", "other_sizes", "python", "error"]

SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "vocab_size": 96,
         "max_position_embeddings": 64}
GROUPED = SMALL | {"num_key_value_heads": 2, "head_dim": 8}
EXPERTS = GROUPED | {"num_experts": 4, "num_experts_per_tok": 2}
GPT = {"n_embd": 32, "n_layer": 2, "n_head": 4, "vocab_size": 96, "n_positions": 64, "hidden_size": 32}
IMAGE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "image_size": 32, "patch_size": 8}
BOTH = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
        "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "vocab_size": 96, "max_position_embeddings": 64}
SPECIAL = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
LM, BASE = transformers.AutoModelForCausalLM, transformers.AutoModel


def tokens(batch=2, length=12):
    return {"input_ids": torch.randint(3, 90, (batch, length))}


def masked(batch=2, length=12):
    return tokens(batch, length) | {"attention_mask": torch.ones(batch, length, dtype=torch.long)}


def pair(batch=2, length=12):
    return tokens(batch, length) | {"decoder_input_ids": torch.randint(3, 90, (batch, length * 2 // 3))}


def image(batch=2, length=32):
    return {"pixel_values": torch.randn(batch, 3, length, length)}


def image64(batch=2, length=64):
    return image(batch, length)


def spectrum(batch=2, length=40):  # the length belongs to the model
    return {"input_features": torch.randn(batch, 8, 40), "decoder_input_ids": torch.randint(3, 90, (batch, 6 if length == 40 else 9))}


def wave(batch=2, length=400):
    return {"input_values": torch.randn(batch, length)}


class Lstm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.out = torch.nn.Embedding(96, 16), torch.nn.Linear(32, 96)
        self.lstm = torch.nn.LSTM(16, 32, 2, batch_first=True)

    def forward(self, input_ids):
        return self.out(self.lstm(self.embed(input_ids))[0])


class UNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        nn = torch.nn
        self.first = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.GroupNorm(2, 8), nn.SiLU())
        self.down = nn.Conv2d(8, 16, 3, 2, 1)
        self.inner = nn.Sequential(nn.Conv2d(16, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU())
        self.pool, self.upsample = nn.MaxPool2d(2), nn.Upsample(scale_factor=2, mode="bilinear")
        self.up, self.out = nn.ConvTranspose2d(16, 8, 2, 2), nn.Conv2d(16, 3, 1)

    def forward(self, pixel_values):
        first = self.first(pixel_values)
        low = self.upsample(self.pool(self.inner(self.down(first))))
        return self.out(torch.cat([first, self.up(low)], 1))


# name: class, model type, configuration, inputs
MODELS = {name: (LM, name, GROUPED, tokens) for name in ("llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text", "stablelm",
                                                         "olmo2", "granite", "cohere", "starcoder2", "smollm3")}
MODELS |= {name: (BASE, name, SMALL, masked) for name in ("bert", "roberta", "mpnet", "nomic_bert", "xlm-roberta")}
MODELS |= {name: (BASE, name, IMAGE, image) for name in ("vit", "deit", "beit", "siglip_vision_model")}
MODELS |= {
    "gpt2": (LM, "gpt2", GPT, tokens),
    "gpt_neo": (LM, "gpt_neo", {"hidden_size": 32, "num_layers": 2, "num_heads": 4, "attention_types": [[["global", "local"], 1]],
                                "vocab_size": 96, "max_position_embeddings": 64, "window_size": 8}, tokens),
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
    "qwen2_moe": (LM, "qwen2_moe", EXPERTS | {"moe_intermediate_size": 32, "shared_expert_intermediate_size": 32}, tokens),
    "qwen3_moe": (LM, "qwen3_moe", EXPERTS | {"moe_intermediate_size": 32}, tokens),
    "olmoe": (LM, "olmoe", EXPERTS, tokens),
    "deepseek_v3": (LM, "deepseek_v3", SMALL | {"num_key_value_heads": 4, "n_routed_experts": 4, "num_experts_per_tok": 2,
                                                "moe_intermediate_size": 32, "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1,
                                                "q_lora_rank": 16, "kv_lora_rank": 16, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8,
                                                "v_head_dim": 8}, tokens),
    "mamba": (LM, "mamba", {"hidden_size": 32, "num_hidden_layers": 2, "vocab_size": 96, "state_size": 8}, tokens),
    "mamba2": (LM, "mamba2", {"hidden_size": 32, "num_hidden_layers": 2, "vocab_size": 96, "state_size": 8, "num_heads": 8,
                              "head_dim": 8, "n_groups": 1, "chunk_size": 8}, tokens),
    "rwkv": (LM, "rwkv", {"hidden_size": 32, "num_hidden_layers": 2, "vocab_size": 96, "attention_hidden_size": 32}, tokens),
    "distilbert": (BASE, "distilbert", {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64, "vocab_size": 96,
                                        "max_position_embeddings": 64}, masked),
    "albert": (BASE, "albert", SMALL | {"embedding_size": 16}, masked),
    "electra": (BASE, "electra", SMALL | {"embedding_size": 16}, masked),
    "deberta-v2": (BASE, "deberta-v2", SMALL | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"],
                                                "max_relative_positions": 8}, masked),
    "modernbert": (BASE, "modernbert", SMALL | SPECIAL | {"cls_token_id": 1, "sep_token_id": 2}, masked),
    "t5": (BASE, "t5", {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4, "vocab_size": 96}, pair),
    "bart": (BASE, "bart", BOTH, pair),
    "marian": (BASE, "marian", BOTH | {"pad_token_id": 0}, pair),
    "whisper": (BASE, "whisper", BOTH | SPECIAL | {"max_source_positions": 20, "max_target_positions": 20, "num_mel_bins": 8,
                                                   "decoder_start_token_id": 1}, spectrum),
    "wav2vec2": (BASE, "wav2vec2", {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64,
                                    "conv_dim": [16, 16], "conv_stride": [5, 2], "conv_kernel": [10, 3], "num_feat_extract_layers": 2,
                                    "num_conv_pos_embeddings": 4, "num_conv_pos_embedding_groups": 2, "vocab_size": 32,
                                    "mask_time_prob": 0.0}, wave),
    "clip_vision_model": (BASE, "clip_vision_model", IMAGE | {"projection_dim": 16}, image),
    "dinov2": (BASE, "dinov2", IMAGE | {"mlp_ratio": 2}, image),
    "convnext": (BASE, "convnext", {"hidden_sizes": [16, 32], "depths": [1, 1], "num_stages": 2}, image),
    "resnet": (BASE, "resnet", {"embedding_size": 16, "hidden_sizes": [16, 32], "depths": [1, 1]}, image),
    "swin": (BASE, "swin", {"embed_dim": 16, "depths": [1, 1], "num_heads": [2, 2], "image_size": 32, "patch_size": 4, "window_size": 4}, image),
    "mobilenet_v2": (BASE, "mobilenet_v2", {"image_size": 32, "depth_multiplier": 0.25}, image64),
    "efficientnet": (BASE, "efficientnet", {"image_size": 64, "width_coefficient": 0.25, "depth_coefficient": 0.25,
                                            "hidden_dim": 320}, image64),
    "segformer": (BASE, "segformer", {"hidden_sizes": [8, 16], "depths": [1, 1], "num_encoder_blocks": 2, "sr_ratios": [2, 1],
                                      "patch_sizes": [7, 3], "strides": [4, 2], "num_attention_heads": [1, 2], "mlp_ratios": [2, 2],
                                      "decoder_hidden_size": 16}, image),
    "lstm": (Lstm, None, {}, tokens),
    "unet": (UNet, None, {}, image),
}


def build(name, attention="sdpa"):
    """A model in evaluation mode, and the function that makes its inputs."""
    kind, model_type, options, inputs = MODELS[name]
    torch.manual_seed(0)
    if not model_type:
        model = kind()
    else:
        config = transformers.AutoConfig.for_model(model_type, **options)
        config.use_cache, config._experts_implementation = False, "batched_mm"
        config.pad_token_id = 0 if (getattr(config, "pad_token_id", 0) or 0) > 90 else getattr(config, "pad_token_id", None)
        config._attn_implementation = attention
        try:
            model = kind.from_config(config)
        except ValueError:  # of few, only the written-out attention exists
            config._attn_implementation = "eager"
            model = kind.from_config(config)
    with torch.no_grad():  # no bias is 0 and no gain 1, so that a forgotten one shows
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.1 * torch.randn(parameter.shape))
        for key, buffer in model.named_buffers():
            if "running_mean" in key:
                buffer.add_(0.1 * torch.randn(buffer.shape))
        model.eval()(**inputs())  # rwkv scales its weights the first time
    return model, inputs


class Double(torch.overrides.TorchFunctionMode):
    """f32 is f64: casts to f32, which models have for the sake of narrower types, round nothing."""

    def __torch_function__(self, function, types, arguments=(), named=None):
        wide = lambda value: torch.float64 if value is torch.float32 else value
        function = torch.Tensor.double if function is torch.Tensor.float else function
        return function(*map(wide, arguments), **{key: wide(value) for key, value in (named or {}).items()})


def tensors(results):
    leaves = torch.utils._pytree.tree_leaves(results.to_tuple() if hasattr(results, "to_tuple") else results)
    return [value for value in leaves if isinstance(value, torch.Tensor)]


def distance(found, expected, least=1.0):
    expected = expected.detach().numpy()
    return float(abs(expected - found.reshape(expected.shape)).max() / max(least, abs(expected).max()))


class Comparison:
    """One model in one form; each method is a column."""

    def __init__(self, name, form, scratch):
        self.name, self.form, self.scratch = name, form, scratch
        self.model, self.make = build(name, "eager" if form == "core" else "sdpa")
        self.inputs = self.make()
        self.row = {"model": name, "form": form, "error": ""}
        self.names = {}

    def rules(self, model, inputs, loss=False):
        """The text of the rules; they and their weights are files then."""
        with torch.no_grad():
            program = torch.export.export(model, (), kwargs=inputs, strict=False)
            program = program.run_decompositions() if self.form == "core" else program
        self.row["operators"] = sum(node.op == "call_function" for node in program.graph.nodes)
        archive, self.file, self.weights = (self.scratch / f"{self.name.replace('-', '_')}.{end}" for end in ("pt2", "ein", "safetensors"))
        torch.export.save(program, archive)
        command = [str(archive), "--emit=ein-source", "-o", str(self.file), "--params", str(self.weights)]
        run_compiler(command)
        header = re.search(r"^model \w+\((.*)\) -> (.*) \{", self.file.read_text(), re.M)
        self.arguments = [(each[0], each[1].split(", ")) for each in re.findall(r"(\w+)(?:: \w+)?\[([^]]*)\]", header[1])]
        self.results = [each.split("[")[0].strip() for each in re.sub(r"\[[^]]*\]", "", header[2]).split(",")]
        if loss:
            run_compiler([*command, "--loss", f"squared_error({self.results[0]}, target)"])
        return self.file.read_text()

    def compiled(self, **options):
        model = plc.compile(self.file, outputs=self.results, **options)
        model.load(self.weights)
        return model

    def given(self, inputs):
        return {"tok" if key == "input_ids" else key: value for key, value in inputs.items()
                if ("tok" if key == "input_ids" else key) in dict(self.arguments)}

    def results_of(self, model, inputs):
        found = model.infer(self.given(inputs), outputs=self.results)
        return [found[name] for name in self.results]

    def farthest(self, found):
        with torch.no_grad():
            return max(distance(mine, value) for mine, value in zip(found, tensors(self.model(**self.inputs))))

    def lines(self):
        text = self.rules(self.model, self.inputs)
        return sum(bool(line.strip()) and not line.startswith("#") for line in text.splitlines())

    def loss(self):
        """PyTorch's loss, and what the target of it is."""
        result = tensors(self.model(**self.inputs))[0]
        self.target = torch.randn(result.shape, generator=torch.Generator().manual_seed(1))
        return torch.nn.functional.mse_loss(result, self.target)

    def difference(self):
        self.rules(self.model, self.inputs, loss=True)
        self.expected_loss = self.loss()
        self.values = []
        for stages in (1, 2):
            model = self.compiled(settings={"parallelism.stages": stages})
            self.values.append((self.results_of(model, self.inputs), model.gradients(self.given(self.inputs), target=self.target)))
            if stages == 1:
                self.row["difference"] = f"{self.farthest(self.values[0][0]):.1e}"
        return f"{self.farthest(self.values[0][0]):.1e}"

    def same_bits(self):
        (results, (loss, gradients)), (others, (other_loss, other_gradients)) = self.values
        return (loss == other_loss and all((a == b).all() for a, b in zip(results, others))
                and all((gradients[key] == other_gradients[key]).all() for key in gradients))

    def gradients(self):
        found = {original: self.values[0][1][1][path] for path, original in read_metadata(self.weights).items()
                 if path in self.values[0][1][1]}
        self.model.zero_grad()
        self.expected_loss.backward()
        expected = {key: value.grad for key, value in self.model.named_parameters() if value.grad is not None}
        if missing := {key for key, value in expected.items() if value.abs().max() > 0} - found.keys():
            raise ValueError(f"no gradients of {sorted(missing)}")
        least = max(float(value.abs().max()) for value in expected.values()) / 1000
        return f"{max(distance(found[key], value, least) for key, value in expected.items() if key in found):.1e}"

    def other_sizes(self):
        self.rules(self.model, self.inputs)
        exported, dims = self.inputs, {}
        self.inputs = self.make(3) if "pixel_values" in self.inputs else self.make(3, 20 if "input_values" not in self.inputs else 600)
        for (name, extents), before, after in zip(self.arguments, self.given(exported).values(), self.given(self.inputs).values()):
            for extent, old, new in zip(extents, before.shape, after.shape):
                if old != new and not extent.isidentifier():
                    raise ValueError(f"{name} has the fixed extent {extent}")
                dims |= {extent: new} if old != new else {}
        return f"{self.farthest(self.results_of(self.compiled(dims=dims), self.inputs)):.1e}"

    def python(self):
        self.inputs = self.make()
        loss = self.loss()
        model = plc.compile(self.model, self.inputs, loss=f"squared_error({self.results[0]}, target)",
                            strategy={"optimizer.kind": "sgd", "optimizer.lr": 0.1})
        model.train_step(self.given(self.inputs), target=self.target)
        self.model.zero_grad()
        loss.backward()
        torch.optim.SGD(self.model.parameters(), 0.1).step()
        expected = {key: value.clone() for key, value in self.model.state_dict().items()}
        self.model.load_state_dict({key: torch.from_numpy(value) for key, value in model.state_dict().items()})
        return f"{max(distance(value.numpy(), expected[key]) for key, value in self.model.state_dict().items()):.1e}"

    def double(self):
        torch.set_default_dtype(torch.float64)
        try:
            with Double():
                self.model = build(self.name, "eager" if self.form == "core" else "sdpa")[0].double()
                self.inputs = self.make()
                self.rules(self.model, self.inputs)
                return f"{self.farthest(self.results_of(self.compiled(settings={'precision.compute': 'f64'}), self.inputs)):.1e}"
        finally:
            torch.set_default_dtype(torch.float32)


def expire(*_):
    raise TimeoutError(f"more than {LIMIT} s")


def measure(name, form):
    with tempfile.TemporaryDirectory() as scratch:
        comparison = Comparison(name, form, pathlib.Path(scratch))
        for column in ("lines", "difference", "same_bits", "gradients", "other_sizes", "python", "double"):
            if column == "python" and form == "core":
                continue
            signal.alarm(LIMIT)
            try:
                comparison.row[column] = getattr(comparison, column)()
            except Exception as error:
                text = str(error).replace(scratch + "/", "")
                comparison.row["error"] += f"{column}: {' '.join(text.split())[:200]}; "
            signal.alarm(0)
            if not comparison.row.get("lines"):
                break
    return comparison.row


def main():
    signal.signal(signal.SIGALRM, expire)
    picked = [word for word in sys.argv[1:] if not word.startswith("--")] or MODELS
    path = pathlib.Path(os.environ.get("PLC_IMPORT_CSV", folder / "import_models.csv"))
    rows = {(row["model"], row["form"]): row for row in csv.DictReader(open(path, newline=""))} if path.exists() else {}
    for name in picked:
        for form in [form for form in ("raw", "core") if f"--{form}" in sys.argv] or ("raw", "core"):
            rows[name, form] = measure(name, form)
            print(rows[name, form], flush=True)
            with open(path, "w", newline="") as file:
                writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows[key] for key in sorted(rows))


if __name__ == "__main__":
    main()
