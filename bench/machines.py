#!/usr/bin/env python3
"""Simulates how a training step scales to 64 machines of two cores.

usage: bench/machines.py [--model demo|large] [--build BUILD]   (five minutes)

The simulator plays a step of examples/gpt.ein on 1 to 64 machines over 10 and 100 Gbit/s. The fastest of all numbers
of replicas and micro-batches, two schedules, and cuts between layers or equations counts. Kernels take the times
that this machine measured."""
import argparse
import itertools
import pathlib
import re
import subprocess
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
MODELS = {"demo": ["-DB=8"], "large": ["-DB=64", "-DD=512", "-DH=8", "-DL=31", "-DS=256"]}
LAYERS = {"demo": 10, "large": 64}
MICRO_BATCHES = {"demo": (1, 2, 4, 8), "large": (16, 32, 64)}
NETWORKS = ("10Gbit/s", "100Gbit/s")
CLUSTER = """[[machines]]
count = {count}
cores = 2
[links]
between = {{ latency = "20us", bandwidth = "{network}" }}
"""


def plans(model, machines):
    for replicas, micro_batches in itertools.product((1, 2, 4, 8, 16, 32, 64), MICRO_BATCHES[model]):
        if machines % replicas or micro_batches % replicas:
            continue
        stages = machines // replicas
        for schedule in ("1f1b", "zb_h1") if stages > 1 else ("1f1b",):
            yield {"stages": stages, "replicas": replicas, "micro_batches": micro_batches, "schedule": schedule,
                   "grain": "layer" if stages <= LAYERS[model] else "equation"}


class Bench:
    def __init__(self, folder, chosen):
        self.folder = pathlib.Path(folder)
        self.bin = pathlib.Path(chosen.build) / "bin"
        self.model = chosen.model

    def compile(self, plan):
        """A module, or None if the model has no plan of this kind."""
        module = self.folder / "gpt.plcm"
        keys = {f"parallelism.{key}": value for key, value in plan.items()}
        keys |= {"gradient.lanes": plan["replicas"], "machine.threads_per_stage": 2}
        settings = [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
        done = subprocess.run([self.bin / "plc-compile", root / "examples/gpt.ein", *MODELS[self.model], *settings, "-o",
                               module], capture_output=True, text=True)
        if done.returncode not in (0, 2, 3):
            raise SystemExit(done.stderr)
        return module if done.returncode == 0 else None

    def play(self, module, machines, network):
        """Milliseconds of a step."""
        cluster = self.folder / "cluster.toml"
        cluster.write_text(CLUSTER.format(count=machines, network=network))
        told = subprocess.run([self.bin / "plc-run", "simulate", module, "--cluster", cluster], check=True,
                              capture_output=True, text=True).stdout
        number, unit = re.search(r"step ([0-9.]+) (us|ms|s)\b", told).groups()
        return float(number) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]

    def fastest(self, machines):
        """By network: milliseconds and the plan."""
        best = {}
        for plan in plans(self.model, machines):
            module = self.compile(plan)
            for network in NETWORKS if module else ():
                ms = self.play(module, machines, network)
                if network not in best or ms < best[network][0]:
                    best[network] = ms, plan
        return best


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--model", choices=MODELS, default="demo")
    options.add_argument("--build", default=root / "build")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder, chosen)
        alone = {}
        for machines in (1, 2, 4, 8, 16, 32, 64):
            for network, (ms, plan) in bench.fastest(machines).items():
                faster = alone.setdefault(network, ms) / ms
                print(f"{machines:2} machines, {network:9}: {ms:10.3f} ms, {faster:5.2f} times as fast, {faster / machines:4.2f} of each:"
                      f" {plan['replicas']} replicas of {plan['stages']} stages, {plan['micro_batches']} micro-batches,"
                      f" {plan['schedule']}", flush=True)


main()
