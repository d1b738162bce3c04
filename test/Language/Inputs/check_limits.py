"""check_limits.py FOLDER: values and gradients of the standard library where 0 meets infinity, at kinks and at ties, in f32 and
f64, interpreted and compiled (which have the same bits). What is expected is the limit, as PyTorch, JAX and SciPy have it."""
import math
import pathlib
import subprocess
import sys

import numpy as np

INF, NAN = np.inf, np.nan


def softmax(x):
    x = np.array(x, float)
    e = np.exp(x - x.max())
    return list(e / e.sum())


LOG2, S2 = np.log(2), softmax([1, -INF, 2])
N5 = math.erfc(5 / math.sqrt(2)) / 2  # of the normal distribution below -5
# RULE: its inputs, its result, and the gradient of the result's sum for real inputs; None is any number.
CASES = {
    # At 0 the derivative of a smooth function, though max and abs have none there.
    "y = softplus(x)": ({"x": [0, -INF, INF, -40]}, [LOG2, 0, INF, np.exp(-40)], {"x": [0.5, 0, 1, np.exp(-40)]}),
    "y = log_sigmoid(x)": ({"x": [0, -INF, INF, 40]}, [-LOG2, -INF, 0, -np.exp(-40)], {"x": [0.5, 1, 0, np.exp(-40)]}),
    "y = binary_cross_entropy(x, t)":
        ({"x": [0, 0, 0, INF, -INF, INF, -INF], "t": [0, 1, 0.25, 1, 0, 0, 1]}, [LOG2, LOG2, LOG2, 0, 0, INF, INF],
         {"x": [0.5, -0.5, 0.25, 0, 0, 1, -1], "t": [0, 0, 0, 0, 0, -INF, INF]}),
    "y = mish(x)": ({"x": [0, -40, 30]}, [0, -40 * np.exp(-40), 30], {"x": [0.6, -39 * np.exp(-40), 1]}),
    "y = elu(x)": ({"x": [0, -1e-9, -INF]}, [0, -1e-9, -1], {"x": [1, 1, 0]}),
    "y = gelu(x)": ({"x": [0, -5]}, [0, -5 * N5], {"x": [0.5, N5 - 5 * np.exp(-12.5) / np.sqrt(2 * np.pi)]}),
    "y = silu(x)": ({"x": [0, -20]}, [0, -20 * np.exp(-20)], {"x": [0.5, -19 * np.exp(-20)]}),
    "y = huber(x, t)": ({"x": [1, 2, 3, 0.5], "t": [1, 1, 1, 1]}, [0, 0.5, 1.5, 0.125], {"x": [0, 1, 1, -0.5], "t": [0, -1, -1, 0.5]}),
    # -inf is the 0 of products in log space.
    "y = log_sum_exp(x)": ({"x": [[-INF] * 3, [1, -INF, 2], [0, 0, 0], [-INF, 0, -INF], [INF, 0, 1]]}, [-INF, np.log(np.e + np.e ** 2), np.log(3), 0, INF],
                       {"x": [[0] * 3, S2, [1 / 3] * 3, [0, 1, 0], None]}),
    "y = softmax(x)": ({"x": [[-INF] * 3, [1, -INF, 2], [-INF, 5, -INF]]}, [[0] * 3, S2, [0, 1, 0]], {"x": [[0] * 3] * 3}),
    "y = log_softmax(x)": ({"x": [[-INF, 0, 0], [-INF, 7, -INF]]}, [[-INF, -LOG2, -LOG2], [-INF, 0, -INF]], {}),
    "y = cross_entropy(x, t)": ({"x": [[1, -INF, 2], [-INF, 3, -INF], [0, -INF, 1], [100, 101, -INF]], "t": [0, 1, 1, 0]},
                            [-np.log(S2[0]), 0, INF, np.log1p(np.e)],
                            {"x": [[S2[0] - 1, 0, S2[2]], [0, 0, 0], [softmax([0, 1])[0], -1, softmax([0, 1])[1]], [-softmax([0, 1])[1], softmax([0, 1])[1], 0]]}),
    # What is certain costs almost nothing, not nothing.
    "y = cross_entropy(x, t) ":
        ({"x": [[20, 0, -INF], [0, 60, 0]], "t": [0, 1]}, [np.log1p(np.exp(-20)), 2 * np.exp(-60)], {}),
    "y = smoothed_cross_entropy(x, t; smoothing = 0)":
        ({"x": [[1, -INF, 2], [-INF, 3, -INF]], "t": [0, 1]}, [-np.log(S2[0]), 0], {"x": [[S2[0] - 1, 0, S2[2]], [0, 0, 0]]}),
    "y = smoothed_cross_entropy(x, t; smoothing = 0.3)": ({"x": [[1, -INF, 2]], "t": [0]}, [INF], {}),
    # What has no probability in the target adds nothing, whatever the prediction is; elsewhere one of 0 costs all.
    "y = kl_divergence(x, p)":
        ({"x": [[0, 0, 0, 0], [-INF, 0, 0, 0], [1, 2, -1, 0]], "p": [[0, -INF, -INF, 0], [-INF, 0, 0, 0], [1, 2, -1, 0]]}, [LOG2, 0, 0],
         {"x": [[-0.25, 0.25, 0.25, -0.25], [0] * 4, [0] * 4], "p": [[0] * 4, [0] * 4, [0] * 4]}),
    "y = weighted(p, x)": ({"p": [0, 0, 0, 2, 1], "x": [INF, -INF, 3, 4, INF]}, [0, 0, 0, 8, INF], {"p": [0, 0, 3, 4, INF], "x": [0, 0, 0, 2, 1]}),
    "y[i] = weighted(p[i], log(p[i]))": ({"p": [0, 1, 0.5]}, [0, 0, -LOG2 / 2], {"p": [0, 1, 1 - LOG2]}),
    "y = masked_mean(x, m)": ({"x": [1, INF, NAN, 3], "m": [1, 0, 0, 1]}, 2, {"x": [0.5, 0, 0, 0.5]}),
    "y[i] = pow(x[i], z[i])": ({"x": [0, 0, 0, 2, INF], "z": [0, 1, 2, 0, 0]}, [1, 0, 0, 1, 1], {"x": [0, 1, 0, 0, 0], "z": [0, 0, 0, LOG2, INF]}),
    "y = nonzero(z)": ({"z": [0, 2, -1]}, [1, 2, -1], {"z": [1, 1, 1]}),
    # Ties share the gradient.
    "y[i] = max(x[i], z[i])": ({"x": [1, 2, 0], "z": [1, 1, 3]}, [1, 2, 3], {"x": [0.5, 1, 0], "z": [0.5, 0, 1]}),
    "y[i] = min(x[i], z[i])": ({"x": [1, 2, 0], "z": [1, 1, 3]}, [1, 1, 0], {"x": [0.5, 0, 1], "z": [0.5, 1, 0]}),
    "y[i] = max(x[i], z[i]) + log1p(exp(-abs(x[i] - z[i])))": ({"x": [1, 2], "z": [1, 1]}, [1 + LOG2, 2 + np.log1p(np.exp(-1))], {"x": [0.5, 1 / (1 + np.exp(-1))], "z": [0.5, 1 / (1 + np.e)]}),
    "y[i] = expm1(x[i])": ({"x": [0, 1e-9, -60, -INF]}, [0, 1e-9, -1, -1], {"x": [1, 1, np.exp(-60), 0]}),
    "y[i] = ndtr(x[i])": ({"x": [0, -INF, INF, -6]}, [0.5, 0, 1, 9.86587645e-10], {"x": [0.3989422804, 0, 0, 6.07588285e-09]}),
    "y = exists_product(x)": ({"x": [[1e-9, 0, 0], [1, 0.5, 1], [0, 0, 0]]}, [1e-9, 1, 0], {"x": [[1, 1, 1], [0, 0, 0], [1, 1, 1]]}),
    "y = forall_product(x)": ({"x": [[0, 2, 3], [0, 0, 3]]}, [0, 0], {"x": [[6, 0, 0], [0, 0, 0]]}),
}


def shapeOf(value):
    return "[" + ", ".join(map(str, np.shape(value))) + "]" if isinstance(value, list) else ""


def asArray(value, real):
    return np.array(value if not isinstance(value, list) or None not in value else [[NAN] * 3 if row is None else row for row in value], real)


def run(folder, rule, real, tool):
    """The result and the gradients that are asked for."""
    inputs, result, gradients = CASES[rule]
    folder.mkdir(parents=True, exist_ok=True)
    arguments, command = [], ["--set", f"precision.compute=f{8 * int(real[1])}", "--output", "y=@y.npy"]
    for name, values in inputs.items():
        kind = "i4" if "cross_entropy(x, t" in rule and "binary" not in rule and name == "t" else real
        np.save(folder / f"{name}.npy", np.array(values, kind))
        arguments.append(f"{name}{': i32' if kind == 'i4' else ''}{shapeOf(values)}")
        command += ["--input", f"{name}=@{name}.npy"]
    for name in gradients:
        command += ["--output", f"grad({name})=@grad-{name}.npy"]
    letters = ", ".join("ij"[:len(np.shape(result))])
    total = f"sum[{letters}](y[{letters}])" if letters else "y"
    (folder / "m.ein").write_text("\n".join([
        "use std.nn", "use std.logic", "layer trained(x) -> y {", "  param one = 1", "  y = one * x", "}",
        f"model m({', '.join(arguments)}) -> y{shapeOf(result)}, loss {{", f"  {rule}", f"  total = {total}", "  loss = trained(total)", "}", ""]))
    done = subprocess.run([tool, "infer", "m.ein", *command], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        return done.stderr
    return {name: np.load(folder / f"{name}.npy") for name in ["y", *(f"grad-{name}" for name in gradients)]}


def problems(folder, rule, real):
    _, result, gradients = CASES[rule]
    interpreted, compiled = (run(folder / tool, rule, real, tool) for tool in ("plc-interpret", "plc-run"))
    for found in (interpreted, compiled):
        if isinstance(found, str):
            return [found]
    wanted = {"y": result} | {f"grad-{name}": gradient for name, gradient in gradients.items()}
    found = []
    for name, expected in wanted.items():
        value = interpreted[name]
        if value.tobytes() != compiled[name].tobytes():
            found.append(f"{name} has other bits when it is compiled: {value.tolist()}, {compiled[name].tolist()}")
        numbers = asArray(expected, "f8")
        free = np.isnan(numbers) & (value == value) if isinstance(expected, list) and None in expected else np.zeros(numbers.shape, bool)
        close = np.isclose(value, numbers, rtol=3e-6 if real == "f4" else 1e-8, atol=1e-7 if name != "y" and real == "f4" else 1e-15, equal_nan=True)
        if not (close | free).all():
            found.append(f"{name} is {value.tolist()}, expected {numbers.tolist()}")
    return found


def main(folder):
    failed = []
    for number, rule in enumerate(CASES):
        for real in ("f4", "f8"):
            failed += [f"{rule}, {real}: {problem}" for problem in problems(pathlib.Path(folder).resolve() / f"{number}-{real}", rule, real)]
    print("\n".join(failed) if failed else f"{len(CASES)} rules have their limits")
    sys.exit(1 if failed else 0)


main(sys.argv[1])
