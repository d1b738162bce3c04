"""config.py MODEL: writes config.json as Hugging Face's checkpoint of a small MODEL has it, and prints the -D that mean the same."""
import json
import sys

common = {"vocab_size": 11, "torch_dtype": "float32", "architectures": ["Other"]}
llama = {"num_hidden_layers": 2, "hidden_size": 16, "intermediate_size": 12, "num_attention_heads": 4, "num_key_value_heads": 2,
         "hidden_act": "silu", "rms_norm_eps": 1e-05}
bert = {"num_hidden_layers": 2, "hidden_size": 12, "intermediate_size": 10, "num_attention_heads": 3, "hidden_act": "gelu",
        "layer_norm_eps": 1e-12}
configs = {
    "gpt2": ({"n_positions": 70, "n_layer": 2, "n_embd": 12, "n_head": 3, "n_inner": None, "activation_function": "gelu_new",
              "layer_norm_epsilon": 1e-05}, "V=11 P=70 L=2 D=12 H=3"),
    "llama": (llama | {"rope_theta": 500000.0, "rope_scaling": None, "attention_bias": False},
              "V=11 L=2 D=16 F=12 H=4 G=2 BASE=500000"),
    "bert": (bert | {"max_position_embeddings": 80, "type_vocab_size": 3, "position_embedding_type": "absolute"},
             "V=11 P=80 T=3 L=2 D=12 H=3 F=10"),
    "vit": (bert | {"num_channels": 1, "image_size": 8, "patch_size": 4, "qkv_bias": True, "id2label": {str(i): "" for i in range(5)}},
            "C=1 N=8 P=4 L=2 D=12 H=3 F=10 V=5"),
    "t5": ({"num_layers": 2, "d_model": 12, "num_heads": 3, "d_kv": 5, "d_ff": 10, "relative_attention_num_buckets": 8,
            "feed_forward_proj": "relu", "layer_norm_epsilon": 1e-06}, "V=11 L=2 D=12 H=3 K=5 F=10 N=8"),
    "bloom": ({"n_layer": 2, "n_embed": 12, "n_head": 3, "layer_norm_epsilon": 1e-05,
               "apply_residual_connection_post_layernorm": False}, "V=11 L=2 D=12 H=3"),
    "mixtral": (llama | {"num_local_experts": 4, "num_experts_per_tok": 2, "head_dim": 4, "rope_theta": 1e6, "sliding_window": None},
                "V=11 L=2 D=16 F=12 H=4 G=2 K=4 E=4 J=2 BASE=1000000"),
    "mamba": ({"num_hidden_layers": 2, "hidden_size": 12, "intermediate_size": 20, "state_size": 3, "conv_kernel": 3,
               "time_step_rank": 2, "hidden_act": "silu", "layer_norm_epsilon": 1e-05, "use_bias": False, "use_conv_bias": True},
              "V=11 L=2 D=12 E=20 N=3 W=3 R=2"),
}
config, sizes = configs[sys.argv[1]]
json.dump(common | config, open("config.json", "w"))
print(" ".join("-D " + each for each in sizes.split()))
