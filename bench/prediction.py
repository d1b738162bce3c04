#!/usr/bin/env python3
"""Compares predicted and measured steps of 33 plans on two cores.

usage: bench/prediction.py [--build BUILD] [--repeats N] [--rates FILE]

Calibrates the machine, compiles plans of three models (stages, micro-batches, schedules, recomputation, replicas),
and measures each twice, alternating, so that noise meets all alike. A plan's time is that of its fastest step.
Beside it stands the step that the simulator plays by the fastest time of each of its kernels, which is meaningful on
a busy machine, too. Idle workers do not help others. Prints for each plan both times, the prediction and its error,
the replay's error, and whether its bytes are the planned ones. Then: the median error beside twice the error of
measuring the same plan again, the rank correlation, and for each model how much slower the predicted best plan is
than the measured best."""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import tempfile

from ranks import spearman

os.environ["PLC_THREADS_PER_STAGE"] = "1" # beside ranks, no further workers

root = pathlib.Path(__file__).resolve().parent.parent
options = argparse.ArgumentParser()
options.add_argument("--build", default=str(root / "build"))
options.add_argument("--repeats", type=int, default=15)
options.add_argument("--rates")
chosen = options.parse_args()

SIZES = {"small": ["-DB=16", "-DD=64", "-DL=4", "-DS=64"], "demo": ["-DB=8", "-DL=4"], "wide": ["-DB=8", "-DD=256", "-DH=4", "-DL=2"]}
PLANS = [{"stages": 1}, {"stages": 1, "micro_batches": 4}, {"stages": 1, "micro_batches": 8},
         {"stages": 2}, {"stages": 2, "micro_batches": 2}, {"stages": 2, "micro_batches": 4}, {"stages": 2, "micro_batches": 8},
         {"stages": 2, "micro_batches": 4, "schedule": "gpipe"},
         {"stages": 2, "micro_batches": 4, "policy": "uniform"},
         {"lanes": 2, "replicas": 2, "micro_batches": 2}, {"lanes": 2, "replicas": 2, "micro_batches": 8}]
KEYS = {"policy": "checkpoint.policy", "lanes": "gradient.lanes"}


def run(tool, *arguments):
    return subprocess.run([f"{chosen.build}/bin/{tool}", *arguments], check=True, capture_output=True, text=True).stdout


with tempfile.TemporaryDirectory() as folder:
    rates = chosen.rates or f"{folder}/rates.toml"
    if not chosen.rates:
        run("plc-compile", "--calibrate", "-o", rates)
    plans = []
    for model, sizes in SIZES.items():
        for plan in PLANS:
            sets = [f"--set={KEYS.get(key, 'parallelism.' + key)}={value}" for key, value in plan.items()]
            module = f"{folder}/{len(plans)}.plcm"
            run("plc-compile", str(root / "examples" / "gpt.ein"), *sizes, *sets, "--set", f"machine.rates={rates}", "-o", module)
            plans.append({"model": model, "plan": plan, "module": module, "ms": []})
    for _ in range(2):
        for plan in plans:
            text = run("plc-run", "bench", plan["module"], "--repeats", str(chosen.repeats), "--no-sharing")
            plan["ms"].append(float(re.search(r"median, ([0-9.]+) to", text)[1]))
            plan["predicted"] = float(re.search(r"^predicted +([0-9.]+) ms", text, re.M)[1])
            plan["replay"] = float(re.search(r"^replay +off by ([0-9.]+) %", text, re.M)[1])
            bytes_of = re.findall(r"planned (\d+) bytes, measured (\d+) bytes", text)
            plan["fastest"] = min(plan.get("fastest", 1e30), float(re.search(r"; ([0-9.]+) ms by the fastest", text)[1]))
            plan["exact"] = all(planned == measured for planned, measured in bytes_of)
    for plan in plans:
        measured = min(plan["ms"])
        plan["error"] = plan["predicted"] / measured - 1
        print(f"{plan['model']:6} {str(plan['plan']):66} {plan['ms'][0]:8.2f} {plan['ms'][1]:8.2f} ms, predicted {plan['predicted']:8.2f}"
              f" ({plan['error']:+.1%}), by the fastest kernels {plan['fastest']:8.2f} ({plan['predicted'] / plan['fastest'] - 1:+.1%}), replay off by {plan['replay']:.1f} %, bytes {'exact' if plan['exact'] else 'differ'}")
    again = statistics.median(abs(plan["ms"][0] / plan["ms"][1] - 1) for plan in plans)
    print(f"{len(plans)} plans: median error {statistics.median(abs(plan['error']) for plan in plans):.1%}, twice the repeat error {2 * again:.1%}, "
          f"Spearman {spearman([p['predicted'] for p in plans], [min(p['ms']) for p in plans]):.3f}, "
          f"replay off by {statistics.median(p['replay'] for p in plans):.1f} % median, bytes exact in {sum(p['exact'] for p in plans)}")
    common = statistics.median(plan["predicted"] / min(plan["ms"]) for plan in plans)
    print(f"after one common factor {common:.2f}: median error {statistics.median(abs(p['predicted'] / common / min(p['ms']) - 1) for p in plans):.1%}")
    print(f"by the fastest kernels: median error {statistics.median(abs(p['predicted'] / p['fastest'] - 1) for p in plans):.1%}, "
          f"Spearman {spearman([p['predicted'] for p in plans], [p['fastest'] for p in plans]):.3f}")
    for model in SIZES:
        mine = [plan for plan in plans if plan["model"] == model]
        guess = min(mine, key=lambda plan: plan["predicted"])
        for what, time in (("steps", lambda plan: min(plan["ms"])), ("fastest kernels", lambda plan: plan["fastest"])):
            best = min(mine, key=time)
            print(f"{model}, by its {what}: Spearman {spearman([p['predicted'] for p in mine], [time(p) for p in mine]):.3f}, the choice is "
                  f"{time(guess) / time(best) - 1:.1%} slower than the best ({best['plan']})")
