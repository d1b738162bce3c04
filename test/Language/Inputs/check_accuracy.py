"""check_accuracy.py FOLDER FILE..: the functions of the standard library, FILEs, in f32 beside f64 over all that they are given:
both signs, all magnitudes, denormals. An error is told in units of the last place of the exact result; 4 are allowed, and more
only for a reason that stands here. Each function must be tried here, or be one of OTHERS, with a reason."""
import math
import pathlib
import re
import subprocess
import sys

import numpy as np

LEAST = 2.0 ** -149  # of f32
erfc = np.vectorize(math.erfc)


def ulp(y):
    """The unit in the last place of f32 at y."""
    return np.maximum(2.0 ** (np.floor(np.log2(np.maximum(np.abs(y), 2.0 ** -126))) - 23), LEAST)


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x < 0, e, 1) / (1 + e)


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def gelu(x):
    return x * erfc(-x / math.sqrt(2)) / 2


def argument(x):
    return 2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)


def mish(x):
    e = np.exp(np.minimum(x, 40))
    n = e * (e + 2)
    return x * (n / (n + 2))


def huber(x, t):
    e = np.abs(x - t)
    return np.where(e <= 1, 0.5 * e * e, e - 0.5)


def crossEntropy(x, t):
    return (1 - t) * np.maximum(x, 0) + t * np.maximum(-x, 0) + np.log1p(np.exp(-np.abs(x)))


def shifted(x):
    return x - x.max(-1, keepdims=True)


def softmax(x):
    e = np.exp(shifted(x))
    return e / e.sum(-1, keepdims=True)


def logSoftmax(x):
    """Where x is the largest, from the others, so that a result near 0 has its digits."""
    z = shifted(x)
    largest = np.arange(x.shape[-1]) == z.argmax(-1)[..., None]
    others = np.where(largest, 0, np.exp(z)).sum(-1, keepdims=True)
    return z - np.log1p(others)


def row(x, t):
    return np.take_along_axis(x, t[..., None], -1)[..., 0]


def ofShift(x, y):
    """The rounding of x - max counts as often as it is large: the sum of the others, s, is exp of such a number, log(1 + s) about s."""
    return np.clip(-np.log(np.maximum(np.abs(y), LEAST)), 0, 104) * ulp(y)


# NAME: (what each input is, the exact result, and what is allowed beside 4 units: a function of inputs and result, with
# its reason behind it). `whole` are all numbers, `unit` is from 0 to 1, `row` rows of logits, `class` one of a row.
DENORMAL = lambda x, y: np.where(x < -87, np.abs(x) * LEAST, 0)  # the factor of x is a denormal: it has few digits
CASES = {
    "gelu": (["whole"], gelu, lambda x, y: np.where(x < -12.9, np.abs(x) * LEAST, 0)),  # so is the distribution there
    # As many more as the argument of the sigmoid is large: its rounding counts so often.
    "gelu_tanh": (["whole"], lambda x: x * sigmoid(argument(x)), lambda x, y: 2 * np.minimum(np.abs(argument(x)), 104) * ulp(y) + np.abs(x) * LEAST),
    "silu": (["whole"], lambda x: x * sigmoid(x), DENORMAL),
    "mish": (["whole"], mish, DENORMAL),
    "leaky_relu": (["whole"], lambda x: np.where(x < 0, np.float32(0.01).astype(float) * x, x), None),
    "elu": (["whole"], lambda x: np.where(x < 0, np.expm1(np.minimum(x, 0)), x), None),
    "softplus": (["whole"], softplus, None),
    "log_sigmoid": (["whole"], lambda x: -softplus(-x), None),
    "glu": (["whole", "near"], lambda g, x: sigmoid(g) * x, lambda g, x, y: np.where(g < -87, np.abs(x) * LEAST, 0)),
    "reglu": (["whole", "near"], lambda g, x: np.maximum(g, 0) * x, None),
    # One rounding more than gelu and silu, which may be denormals.
    "geglu": (["whole", "near"], lambda g, x: gelu(g) * x, lambda g, x, y: np.abs(x) * np.where(g < -12.9, np.abs(g), 1) * LEAST + ulp(y)),
    "swiglu": (["whole", "near"], lambda g, x: g * sigmoid(g) * x, lambda g, x, y: np.abs(x) * np.where(g < -87, np.abs(g), 1) * LEAST + ulp(y)),
    "weighted": (["unit", "near"], lambda p, x: p * x, None),
    "squared_error": (["near", "near"], lambda x, t: (x - t) ** 2, None),
    "huber": (["near", "near"], huber, None),
    "binary_cross_entropy": (["whole", "unit"], crossEntropy, None),
    # The rounding of x - max counts as often as it is large.
    "softmax": (["row"], softmax, lambda x, y: np.minimum(np.abs(shifted(x)), 104) * ulp(y) + LEAST),
    "log_softmax": (["row"], logSoftmax, ofShift),
    # A sum of both signs.
    "log_sum_exp": (["row"], lambda x: np.log(np.exp(shifted(x)).sum(-1)) + x.max(-1), lambda x, y: 2 * ulp(x.max(-1)) + 2.0 ** -23),
    "log_sum_exp_from_0": (["shifted"], lambda x: np.log1p(np.where(x == 0, 0, np.exp(x)).sum(-1)), None),
    "cross_entropy": (["row", "class"], lambda x, t: -row(logSoftmax(x), t), lambda x, t, y: ofShift(x, y)),
    "smoothed_cross_entropy": (["row", "class"],
                               lambda x, t: -(1 - np.float32(0.1).astype(float)) * row(logSoftmax(x), t) - np.float32(0.1).astype(float) * logSoftmax(x).mean(-1),
                               lambda x, t, y: ofShift(x, y)),
    "and_product": (["unit", "unit"], lambda a, b: a * b, None),
    "or_product": (["unit", "unit"], lambda a, b: a + b - a * b, None),
    "not_product": (["unit"], lambda a: 1 - a, None),
    "implies_product": (["unit", "unit"], lambda a, b: np.where(a <= b, 1, b / np.maximum(a, LEAST)), None),
    "exists_product": (["units"], lambda x: -np.expm1(np.log1p(-x).sum(-1)), None),
    "forall_product": (["units"], lambda x: x.prod(-1), None),
    "and_godel": (["unit", "unit"], np.minimum, None),
    "or_godel": (["unit", "unit"], np.maximum, None),
    "not_godel": (["unit"], lambda a: 1 - a, None),
    "implies_godel": (["unit", "unit"], lambda a, b: np.where(a <= b, 1, b), None),
    "exists_godel": (["units"], lambda x: x.max(-1), None),
    "forall_godel": (["units"], lambda x: x.min(-1), None),
    # a + b is rounded before 1 is taken from it; so are sums.
    "and_lukasiewicz": (["unit", "unit"], lambda a, b: np.maximum(0, a + b - 1), lambda a, b, y: 2.0 ** -23),
    "or_lukasiewicz": (["unit", "unit"], lambda a, b: np.minimum(1, a + b), None),
    "not_lukasiewicz": (["unit"], lambda a: 1 - a, None),
    "implies_lukasiewicz": (["unit", "unit"], lambda a, b: np.minimum(1, 1 - a + b), None),
    "exists_lukasiewicz": (["units"], lambda x: np.minimum(1, x.sum(-1)), None),
    "forall_lukasiewicz": (["units"], lambda x: np.maximum(0, 1 - (1 - x).sum(-1)), lambda x, y: 2.0 ** -21),
}
# Sums of terms of both signs, means and differences of them: as exact as the terms, whose sum may be small beside them.
SUMS = """kl_divergence masked_mean layer_norm rms_norm unit_norm batch_norm linear lora mixture switch_mixture expert_choice_mixture
load_balance attention grouped_attention block_attention strided_attention global_local_attention biased_attention alibi_attention
hard_rule_attention soft_rule_attention gated_rule_attention lstm_cell gru_cell lstm gru linear_scan causal_conv selective_scan
conv1d conv2d grouped_conv2d conv3d conv_transpose1d conv_transpose2d depthwise_conv2d mean_pool global_mean_pool upsample_linear
batch_norm_2d kept_norm_2d instance_norm group_norm"""
# Elements that are moved, compared, or scaled by a number.
MOVES = """nonzero embedding accuracy relative_bias bucketed_bias learned_positions max_pool upsample_nearest patches pixel_shuffle dropout
channel_dropout and_boolean or_boolean not_boolean implies_boolean exists_boolean forall_boolean"""
# The angle, position times frequency, is rounded: as far off as it is large.
ANGLES = "sinusoidal rope rope_pairs"
# Of softmax, which is tried.
GATES = "top_gates switch_gates"
OTHERS = " ".join([SUMS, MOVES, ANGLES, GATES]).split()

draws = np.random.default_rng(0)


def numbers(kind):
    """f32 of a kind, 4000 of them or 1000 rows."""
    def spread(low, high, count):
        return np.exp2(draws.uniform(low, high, count))
    if kind == "whole":
        half = np.concatenate([spread(-149, 7, 1500), draws.uniform(0, 110, 400), [0, 1, 13, 20, 87.5, 104]])
        return np.concatenate([half, -half]).astype("f4")
    if kind == "near":
        return (draws.choice([-1, 1], 3812) * spread(-20, 4, 3812)).astype("f4")
    if kind == "unit":
        return np.concatenate([draws.uniform(0, 1, 3000), spread(-40, 0, 808), [0, 1, 0.5, 0.25]]).astype("f4")
    if kind == "units":
        return np.concatenate([draws.uniform(0, 0.99, (500, 4)), spread(-40, -1, (500, 4))]).astype("f4")
    if kind == "class":
        return draws.integers(0, 5, 1000).astype("i4")
    scale = spread(-6, 6, (1000, 1))
    if kind == "shifted":
        return np.where(np.arange(5) == 2, 0, -scale * np.abs(draws.normal(size=(1000, 5))) - scale * 0.1).astype("f4")
    return (scale * draws.normal(size=(1000, 5)) + draws.choice([0, 1], (1000, 1)) * scale * 4).astype("f4")


def write(path, tensor):
    np.save(path, tensor)
    return f"@{path}"


def main(folder, files):
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    library = {name: path.stem for path in map(pathlib.Path, files) for name in re.findall(r"^fn (\w+)", path.read_text(), re.M)}
    problems = [f"'{name}' is not tried, and no reason is given" for name in sorted(set(library) - set(CASES) - set(OTHERS))]
    problems += [f"there is no '{name}'" for name in sorted((set(CASES) | set(OTHERS)) - set(library))]
    arguments, results, lines, command, given = [], [], [], ["plc-interpret", "infer", str(folder / "model.ein")], {}
    for name, (kinds, *_) in CASES.items():
        given[name] = [numbers(kind) for kind in kinds]
        length = min(len(tensor) for tensor in given[name])
        given[name] = [tensor[:length] for tensor in given[name]]
        for k, tensor in enumerate(given[name]):
            kind = ": i32" if tensor.dtype.kind == "i" else ""
            arguments.append(f"{name}_{k}{kind}[{', '.join(map(str, tensor.shape))}]")
            command += ["--input", f"{name}_{k}={write(folder / f'{name}_{k}.npy', tensor)}"]
        shape = given[name][0].shape if name in ("softmax", "log_softmax") else (length,)
        results.append(f"of_{name}[{', '.join(map(str, shape))}]")
        lines.append(f"  of_{name} = {name}({', '.join(f'{name}_{k}' for k in range(len(kinds)))})")
        command += ["--output", f"of_{name}=@{folder}/of_{name}.npy"]
    uses = [f"use std.{name}" for name in sorted({library.get(name, "nn") for name in CASES})]
    (folder / "model.ein").write_text("\n".join([*uses, f"model m({', '.join(arguments)}) -> {', '.join(results)} {{", *lines, "}", ""]))
    subprocess.run(command, check=True)
    for name, (kinds, exact, further) in CASES.items():
        wide = [tensor.astype("f8" if tensor.dtype.kind == "f" else "i8") for tensor in given[name]]
        with np.errstate(all="ignore"):
            expected = exact(*wide)
            found = np.load(folder / f"of_{name}.npy").astype("f8")
            unit = ulp(expected)
            allowed = 4 * unit + (further(*wide, expected) if further else 0)
            error = np.abs(found - expected)
        wrong = ~(error <= allowed)
        at = np.unravel_index(np.argmax(np.where(np.isnan(error), np.inf, error / allowed)), error.shape)
        shown = ", ".join(str(tensor[at] if tensor.shape == error.shape else tensor[at[0]]) for tensor in given[name])
        print(f"{name}: {np.max(error / unit):.3g} ulp, nearest to its bound at ({shown}): {found[at]:.9g}, exact {expected[at]:.9g}")
        if wrong.any():
            problems.append(f"{name}({shown}) is {found[at]:.9g}, expected {expected[at]:.9g}")
    print("\n".join(problems) if problems else f"{len(CASES)} functions are exact to their bounds")
    sys.exit(1 if problems else 0)


main(sys.argv[1], sys.argv[2:])
