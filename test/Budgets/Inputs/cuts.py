#!/usr/bin/env python3
"""cuts.py: more memory makes no step slower. Under each budget cuts count with what ranks compute again: where
all values fit, but only if the ranks are cut unequally, values are computed again if that is faster."""
import re
import subprocess
import sys

model, *fractions = sys.argv[1:]
layers, stages, runs = 24, 4, 16


def plan(*sets):
    """The plan's text."""
    sizes = [f"-DL={layers}", f"-DB={runs}", "-DS=16", "-DV=16", "-DD=16", "-DH=2", "-DF=16"]
    words = [word for each in (f"parallelism.stages={stages}", f"parallelism.micro_batches={runs}", *sets)
             for word in ("--set", each)]
    return subprocess.run(["plc-compile", model, *sizes, "--emit=addresses", "-o", "-", *words], check=True,
                          capture_output=True, text=True).stdout


def main():
    peak = max(map(int, re.findall(r"plan.layout persistent \d+ arena (\d+)", plan())))
    steps = []
    for fraction in map(float, fractions):
        text = plan("checkpoint.policy=budget", f"memory.budget={int(peak * fraction)}B")
        cut, bound, step = (int(re.search(rf"\b{name} = (\d+)", text).group(1))
                            for name in ("cut_ns", "cut_bound_ns", "step_ns"))
        print(f"{fraction}: step {step}, cut {cut}, bound {bound}")
        steps.append(step)
    # Cuts are chosen by what stages take, orders by what all takes: between near cuts a step may be longer by that.
    if any(larger > 1.001 * smaller for smaller, larger in zip(steps, steps[1:])):
        sys.exit("a step is slower than under a smaller budget")


if __name__ == "__main__":
    main()
