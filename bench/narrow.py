#!/usr/bin/env python3
"""Measures products with bf16 factors, summed in pairs, beside f32 products in the same run.

usage: bench/narrow.py [--sizes D512,D768] [--rounds N]

Trains one layer of examples/gpt.ein on one core, in `mixed` and in f32, under each instruction set of this machine,
rounds alternating. Prints the fraction of the FMA peak (measured beside each run by `plc-run bench`) for products
with weights (forward, input gradients, weight gradients) and attention's products; and the step in `mixed` over f32.
With AMX read the GFLOP/s instead: AMX's own peak is 16 times that of FMA. Prints a note where the CPU has no AMX."""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("--build", default=str(root / "build"))
options.add_argument("--sizes", default="D512,D768")
options.add_argument("--rounds", type=int, default=3)
options.add_argument("--steps", type=int, default=6)
chosen = options.parse_args()
SIZES = {"D512": {"B": 8, "S": 256, "D": 512, "H": 8, "L": 1}, "D768": {"B": 8, "S": 512, "D": 768, "H": 12, "L": 1}}
flags = next(line.split() for line in open("/proc/cpuinfo") if line.startswith("flags"))
sets = ["avx2"] + ["avx512"] * ({"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= set(flags)) + ["avx512-amx"] * ("amx_bf16" in flags)
if "avx512-amx" not in sets:
    print("this CPU has no AMX: the same bits without it")
core = str(min(os.sched_getaffinity(0)))


def run(tool, *arguments):
    return subprocess.run(["taskset", "-c", core, f"{chosen.build}/bin/{tool}", *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def contractions(compile):
    """Of kernels that are contractions, by name: what it is, and its operations."""
    lines = (root / "examples/gpt.ein").read_text().splitlines()
    result = {}
    for text in re.findall(r"plan.kernel @((?:attention|ffn)\..*)", run("plc-compile", *compile, "--emit=kernels")):
        name, flops = text.split("(")[0], int(re.search(r"flops = (\d+)", text).group(1))
        if "kind contract" not in text:
            continue
        result[name] = flops
    return result, lines


def what_is(kernel, lines):
    line = lines[int(kernel["where"].rsplit(":", 2)[1]) - 1]
    ofWeights = re.search(r"\bw[qkvo12]\b", line)
    return {"F": "forward", "B": "dX", "W": "dW"}[kernel["kernel"].split(".")[1]] if ofWeights else "attention"


with tempfile.TemporaryDirectory() as folder:
    data = f"{folder}/text"
    pathlib.Path(data).write_bytes((root / "examples/gpt.ein").read_bytes() * 200)
    for name in chosen.sizes.split(","):
        size, modules, kinds = SIZES[name], {}, {}
        for isa in sets:
            for compute in ("f32", "mixed"):
                if compute == "f32" and isa == "avx512-amx":
                    continue
                modules[isa, compute] = f"{folder}/{name}-{isa}-{compute}.plcm"
                words = [root / "examples/gpt.ein", *[f"-D{key}={value}" for key, value in size.items()], "--rates", "shipped",
                         "--set", f"machine.isa={isa}", "--set", f"precision.compute={compute}", "--set", "machine.contractions=own",
                         "--set", "profiling=true", "--set", "machine.threads_per_stage=1"]
                run("plc-compile", *words, "-o", modules[isa, compute])
                kinds[isa, compute] = contractions(words)
        found = {key: {} for key in modules}
        for _ in range(chosen.rounds):
            for key, module in modules.items():
                log = f"{folder}/log"
                run("plc-run", "train", module, "--data", f"tok={data}", "--data", f"next={data}+1", "--steps", chosen.steps, "--holdout", "0",
                    "--log", log, "--overwrite")
                peak = float(re.search(r"FMA peak of \d+ cores? \(([\d.]+)", run("plc-run", "bench", module, "--data", f"tok={data}", "--data",
                             f"next={data}+1", "--warmup", "1", "--repeats", "1")).group(1))
                lines = [json.loads(line) for line in open(log)]
                kernels = next(line["summary"]["kernels"] for line in lines if "summary" in line)
                work, time = {}, {}
                for kernel in kernels:
                    flops, lines_of = kinds[key][0].get(kernel["kernel"]), kinds[key][1]
                    if not flops:
                        continue
                    what = what_is(kernel, lines_of)
                    work[what] = work.get(what, 0) + flops * kernel["calls"]
                    time[what] = time.get(what, 0) + kernel["median_ns"] * kernel["calls"]
                for what in work:
                    found[key].setdefault(what, []).append((work[what] / time[what], work[what] / time[what] / peak))
                step = statistics.median(line["ms"] for line in lines if "step" in line)
                found[key].setdefault("step", []).append((step, step))
        for (isa, compute), values in found.items():
            parts = [f"{what} {statistics.median(v[1] for v in values[what]):.2f} ({statistics.median(v[0] for v in values[what]):.0f} GF/s)" for what in ("forward", "dX", "dW", "attention")]
            over = f", {statistics.median(v[0] for v in found[isa, 'f32']['step']) / statistics.median(v[0] for v in values['step']):.2f} times f32's step" if compute == "mixed" and (isa, "f32") in found else ""
            print(f"{name} {isa} {compute}: {', '.join(parts)}; step {statistics.median(v[0] for v in values['step']):.0f} ms{over}", flush=True)
