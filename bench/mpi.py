#!/usr/bin/env python3
"""Measures the demo's step in two processes by each MPI library beside two threads of one process.

usage: bench/mpi.py [ROUNDS]

The sides alternate; the fastest step of each run counts. Then: the CPU time of a process that waits most of a step
(an uneven cut), beyond what it computes. Then: steps of little but messages, with more ranks than cores: kernels of
some us in 4 and 8 stages, in 2 and 4 processes."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["PLC_THREADS_PER_STAGE"] = "1" # beside ranks, no further workers

root = pathlib.Path(__file__).resolve().parent.parent
run, compile_ = root / "build/bin/plc-run", root / "build/bin/plc-compile"
rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
STEPS = 8
SIDES = {"threads": [], "threads that do not help": ["--no-sharing"], "openmpi": ["--ranks", "2", "--mpi", "openmpi"],
         "mpich": ["--ranks", "2", "--mpi", "mpich"]}


def compile_demo(folder, *how):
    module = folder / "gpt.plcm"
    subprocess.run([compile_, root / "examples/gpt.ein", "--strategy", root / "examples/gpt.toml", *how, "-o", module],
                   check=True)
    return module


def command(module, log, steps, options):
    text = root / "examples/gpt.ein"
    return [run, "train", module, "--data", f"tok={text}", "--data", f"next={text}+1", "--steps", str(steps), "--holdout", "0",
            "--log", log, "--overwrite", *options]


def lines_of(log):
    return [line for line in map(json.loads, open(log)) if "step" in line]


def compare(folder):
    module, log = compile_demo(folder), folder / "log.jsonl"
    ratios, bits = {side: [] for side in SIDES}, set()
    for i in range(rounds):
        fastest = {}
        for side in list(SIDES)[:: 1 if i % 2 else -1]:
            subprocess.run(command(module, log, STEPS, SIDES[side]), check=True, stdout=subprocess.DEVNULL)
            lines = lines_of(log)
            fastest[side] = min(line["ms"] for line in lines[1:])  # the first warms caches
            bits.add(tuple(line["loss_bits"] for line in lines))
        for side in SIDES:
            ratios[side].append(fastest["threads"] / fastest[side])
    if len(bits) > 1:
        sys.exit("the bits differ")
    for side in list(SIDES)[1:]:
        print(f"{side}: {statistics.median(ratios[side]):.3f} of the speed of threads (median of {rounds}; "
              f"{min(ratios[side]):.3f} to {max(ratios[side]):.3f})", flush=True)


def processor_time(process):
    """User and system time in ms."""
    fields = open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def second_process(launcher):
    def below(process):
        found = open(f"/proc/{process}/task/{process}/children").read().split()
        return [int(child) for child in found] + [more for child in found for more in below(child)]
    for process in below(launcher):
        words = open(f"/proc/{process}/environ").read().split("\0")
        if os.path.basename(os.readlink(f"/proc/{process}/exe")) == "plc-run" and {"OMPI_COMM_WORLD_RANK=1", "PMI_RANK=1"} & set(words):
            return process
    return None


def wait_cost(folder, side, steps):
    """Of the second process, in ms a step: what it takes of a processor, what it computes, and the step."""
    module, log, trace = compile_demo(folder, "--set", "parallelism.balance=[9,1]"), folder / "log.jsonl", folder / "trace.json"
    log.unlink(missing_ok=True)
    process = subprocess.Popen(command(module, log, steps, [*SIDES[side], "--trace", trace]), stdout=subprocess.DEVNULL)
    seen = []  # the first and the last step that was seen, and the processor time then
    while process.poll() is None:
        done = open(log).read().count('{"step"') if log.exists() else 0
        if done >= 2 and (not seen or seen[-1][0] != done):
            if (second := second_process(process.pid)) is None:
                break
            seen.append((done, processor_time(second)))
        time.sleep(0.01)
    process.wait()
    (first, before), (last, after) = seen[0], seen[-1]
    events = [e for e in json.load(open(trace))["traceEvents"] if e["ph"] == "X" and e["tid"] == 1 and e["cat"] in ("task", "step")]
    computes = sum(e["dur"] for e in events) / 1e3 / steps
    step = statistics.median(line["ms"] for line in lines_of(log))
    return (after - before) / (last - first), computes, step


def tiny_kernels(folder, stages):
    """Median steps, of runs iteration by iteration, by how they run."""
    module, log = folder / "tiny.plcm", folder / "log.jsonl"
    sizes = [f"-D{size}" for size in ("B=8", "S=8", "D=8", "H=2", "L=4")]
    subprocess.run([compile_, root / "examples/gpt.ein", *sizes, "--set", "parallelism.micro_batches=8", "--set",
                    f"parallelism.stages={stages}", "-o", module], check=True)
    sides = {"threads": [], **{f"{processes} processes by {library}": ["--ranks", str(processes), "--mpi", library]
                               for library in ("openmpi", "mpich") for processes in (2, 4)}}
    steps = {side: [] for side in sides}
    for _ in range(3):
        for side, options in sides.items():
            subprocess.run(command(module, log, 300, options), check=True, stdout=subprocess.DEVNULL)
            steps[side] += [line["ms"] for line in lines_of(log)[10:]]
    return {side: statistics.median(each) for side, each in steps.items()}


with tempfile.TemporaryDirectory() as name:
    compare(pathlib.Path(name))
    for side in ("openmpi", "mpich"):
        takes, computes, step = wait_cost(pathlib.Path(name), side, 60)
        print(f"{side}: the second process of a cut 9 to 1 waits {1 - computes / step:.0%} of a step, which takes "
              f"{(takes - computes) / step:.1%} of a processor ({takes:.1f} ms of {step:.1f}, of which it computes {computes:.1f})")
    for stages in (4, 8):
        steps = tiny_kernels(pathlib.Path(name), stages)
        print(f"{stages} stages of tiny kernels: " + ", ".join(f"{side} {ms:.2f} ms" for side, ms in steps.items()))
