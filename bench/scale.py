#!/usr/bin/env python3
"""Measures CPU time and peak memory of planning a narrow transformer of up to 1,000 layers, by pass.

usage: bench/scale.py [ROW ..]

A row is LAYERS/STAGES/MICRO_BATCHES; default: six rows. A row that ends with `/auto` asks for schedule `auto` and
for recomputation within 0.6 of the activations' bytes, beside the persistent ones. A row that ends with a number
asks for recomputation within that fraction of all bytes, and its step and cut are printed. Prints what grows, too:
actions, and addresses in them."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parent.parent
ROWS = ["48/8/16", "48/8/64", "48/8/256", "200/16/64", "1000/64/16", "1000/64/256"]
WIDTHS = {"S": 16, "V": 16, "D": 16, "H": 2, "F": 16}


def plan(row, sets, emit, output):
    """Seconds, peak MiB, seconds by pass, whether there is a plan; what was asked for is in a file."""
    layers, stages, micro_batches, *_ = row.split("/")
    command = [ROOT / "build/bin/plc-compile", ROOT / "examples/gpt.ein", f"-DL={layers}", f"-DB={micro_batches}",
               *(f"-D{name}={width}" for name, width in WIDTHS.items()), "--mlir-timing", "--mlir-timing-display=list",
               f"--emit={emit}", "-o", output, "--set", f"parallelism.stages={stages}",
               "--set", f"parallelism.micro_batches={micro_batches}", *(word for each in sets for word in ("--set", each))]
    with tempfile.TemporaryFile("w+") as report:
        done = subprocess.Popen(command, stderr=report)
        _, status, used = os.wait4(done.pid, 0)
        report.seek(0)
        text = report.read()
    if os.waitstatus_to_exitcode(status) not in (0, 3):  # 3: no plan fits
        sys.exit(f"{row}: exit {os.waitstatus_to_exitcode(status)}\n{text[-2000:]}")
    passes = {}
    for seconds, name in re.findall(r"^\s*([\d.]+) \( *[\d.]+%\)\s+(\w+)", text, re.M):
        passes[name] = passes.get(name, 0) + float(seconds)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, passes, not status


def sizes(output):
    """Actions, their addresses, and two budgets of the largest rank: persistent bytes with 0.6 of the others, and all."""
    actions = addresses = budget = most = 0
    with open(output) as text:
        for line in text:
            if found := re.match(r"\s*plan\.(run|post_recv|wait_recv|send|wait_send|drop|step)\b", line):
                actions += 1
                places = re.search(r" at (\[[^\]]*\]|\d+)", line)
                addresses += len(re.findall(r"\d+", places.group(1))) if places else 0
            elif found := re.match(r"\s*plan\.layout persistent (\d+) arena (\d+)", line):
                static, arena = map(int, found.groups())
                budget = max(budget, static + int(0.6 * (arena - static)))
                most = max(most, arena)
    return actions, addresses, budget, most


def figures(output):
    """The step, and how far the slowest rank is above the bound of all cuts."""
    text = pathlib.Path(output).read_text()
    step, cut, bound = (int(re.search(rf"\b{name} = (\d+)", text).group(1)) for name in ("step_ns", "cut_ns", "cut_bound_ns"))
    return f"step {step / 1e6:.2f} ms, cut {100 * (cut / bound - 1):.1f} % above its bound"


def main():
    print("layers/stages/micro-batches: CPU seconds, peak MiB, actions, addresses; the slowest passes")
    with tempfile.TemporaryDirectory() as folder:
        output = f"{folder}/plan.mlir"
        for row in sys.argv[1:] or ROWS:
            sets = []
            part = row.split("/")[3:]
            if part:
                plan(row, [], "addresses", output)
                sets = ["checkpoint.policy=budget"]
                if part == ["auto"]:
                    sets += ["parallelism.schedule=auto", f"memory.budget={sizes(output)[2]}B"]
                else:
                    sets += [f"memory.budget={int(float(part[0]) * sizes(output)[3])}B"]
            # A drawing is short, so that printing takes no time.
            seconds, peak, passes, found = plan(row, sets, "dot", f"{folder}/plan.dot")
            result = "no plan fits"
            if found:
                plan(row, sets, "addresses", output)
                result = "{} actions, {} addresses".format(*sizes(output))
                if sets:
                    result += ", " + figures(output)
            slowest = sorted(((t, n) for n, t in passes.items() if n not in ("Total", "root")), reverse=True)[:7]
            print(f"{row}: {seconds:.2f} s, {peak:.0f} MiB, {result}; " +
                  ", ".join(f"{name} {t:.2f}" for t, name in slowest), flush=True)


if __name__ == "__main__":
    main()
