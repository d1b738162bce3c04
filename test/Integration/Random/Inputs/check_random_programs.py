"""Compiles and interprets random programs (random_program.py) and compares.

For each seed: two steps of training under a plan and on a path of this CPU (AVX2 or AVX-512, tiles or BLIS) that the seed
chooses have plc-interpret's bits (losses, gradient norms,
after the steps every parameter and moment, and then the held-out loss), in f64 for every fourth seed, and if another number of
micro-batches has the same numerics key, so has plc-interpret there; and plc-interpret check-gradients passes on
smooth programs. A program that plc-compile refuses counts as a failure. Prints one line per failure, with how to repeat it."""
import argparse
import collections
import json
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import time

from random_layers import Layered
from random_program import Program
from random_strategies import Strategy


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog="A large run: check_random_programs.py 0 200 --folder /tmp/programs")
    parser.add_argument("first", type=int, help="first seed")
    parser.add_argument("last", type=int, help="the seed behind the last one")
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="for programs, data and logs; failed ones stay")
    parser.add_argument("--model", type=pathlib.Path, help="check this text under the plan and data of seed FIRST")
    parser.add_argument("--of", choices=("rules", "layers"), default="rules", help="what is drawn: rules, or layers with their branches (rules)")
    parser.add_argument("--compute", choices=("f32", "f64", "mixed", "half"), help="the precision of all (drawn: f32 or f64)")
    parser.add_argument("--mpi", type=float, default=0, help="how many of the plans of several ranks run in processes, as a fraction (0)")
    parser.add_argument("--samples", type=int, default=5, help="elements of each parameter whose difference is taken (5)")
    parser.add_argument("--seconds", type=float, default=120, help="a command that takes longer has failed (120)")
    return parser.parse_args()


def has_avx512():
    flags = next((line.split() for line in open("/proc/cpuinfo") if line.startswith("flags")), [])
    return {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= set(flags)


class Failed(Exception):
    pass


def attempt(*command, seconds):
    """The exit code, and what was told: stderr first if it is not 0."""
    words = [str(word) for word in command]
    try:
        result = subprocess.run(words, capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise Failed(f"{' '.join(words)}\nno end after {seconds} s") from None
    return result.returncode, result.stderr[-2500:] + result.stdout[-1500:] if result.returncode else result.stdout


def run(*command, seconds):
    code, text = attempt(*command, seconds=seconds)
    if code:
        raise Failed(f"{' '.join(map(str, command))}\nexit code {code}\n{text}")
    return text


def write_rows(file, value, dims, real, draws, rows):
    """Normal numbers, indices below the extent of V, or truth values."""
    shape = [rows] + [dims[axis] for axis in value.axes[1:]]
    count = 1
    for extent in shape:
        count *= extent
    kinds = {"index": ("i", "<i4", lambda: draws.randrange(dims["V"])), "mask": ("B", "|b1", lambda: draws.randrange(2))}
    reals = {"f32": ("f", "<f4"), "f64": ("d", "<f8")}[real] + (lambda: draws.gauss(0, 1),)
    code, descr, draw = kinds.get(value.origin, reals)
    values = [draw() for _ in range(count)]
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    file.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{count}{code}", *values))


class Check:
    def __init__(self, seed, options):
        self.seed, self.options = seed, options
        self.program = {"rules": Program, "layers": Layered}[options.of](seed)
        self.folder = options.folder / f"{options.of}.{seed}"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.model = self.folder / "program.ein"
        self.model.write_text(options.model.read_text() if options.model else self.program.text())
        self.draws = random.Random(seed)
        self.strategy = Strategy(self.draws, self.program)
        # The instructions: whatever this CPU has.
        self.strategy.plan["machine.isa"] = self.draws.choice(["native", "avx2"] + ["avx512"] * has_avx512())
        if options.compute:
            self.strategy.numbers["precision.compute"] = options.compute
        self.real = "f64" if self.strategy.numbers["precision.compute"] == "f64" else "f32"
        self.free = False  # whether another number of micro-batches was tried, and had the same numerics key

    def run(self, *command):
        return run(*command, seconds=self.options.seconds)

    def sets(self):
        return self.strategy.sets()

    def given(self):
        """What the program takes."""
        return self.program.inputs + self.program.indices + self.program.masks

    def training(self):
        data = []
        module = self.folder / "module.plcm"
        self.compile(module)
        held = module.read_bytes()
        for value in self.given():
            file = self.folder / f"{value.name}.npy"
            write_rows(file, value, self.program.dims, self.real, self.draws, 2 * self.program.dims["B"])
            if f'"name":"{value.name}"'.encode() in held:  # else nothing needs it
                data += ["--data", f"{value.name}={file}"]
        compiled, interpreted = self.folder / "compiled", self.folder / "interpreted"
        how = ["--check-arena"] * (self.draws.random() < 0.35) + self.processes(module)
        train = [*data, "--steps", "2", "--holdout", "0", "--seed", self.seed]
        self.run("plc-run", "train", module, *train, "--log", f"{compiled}.jsonl", "--save", compiled, "--overwrite", *how)
        self.run("plc-interpret", "train", self.model, *self.sets(), *train, "--log", f"{interpreted}.jsonl", "--save", interpreted, "--overwrite")
        found, expected = steps(f"{compiled}.jsonl"), steps(f"{interpreted}.jsonl")
        if found != expected:
            raise Failed(f"compiled    {found}\ninterpreted {expected}")
        if len(expected) != 2 or any(step["loss"] is None for step in expected):
            raise Failed(f"no two finite losses: {expected}")
        for name in ("params", "state"):
            if tensors(compiled / "step-2" / f"{name}.safetensors") != tensors(interpreted / "step-2" / f"{name}.safetensors"):
                raise Failed(f"{compiled} and {interpreted}: {name}.safetensors differ")
        check_bytes(f"{compiled}.jsonl")
        self.other_cut(train, expected, interpreted)
        self.inference(module, compiled, how)
        held = ["--params", compiled, "--holdout", "0.5", *data]
        found, expected = self.run("plc-run", "eval", module, *held, *how), self.run("plc-interpret", "eval", self.model, *self.sets(), *held)
        if found != expected:
            raise Failed(f"compiled    {found}interpreted {expected}")

    def other_cut(self, train, expected, interpreted):
        numbers, other = self.strategy.numbers, self.folder / "other"
        groups, count = (int(numbers.get(key, 1)) for key in ("gradient.lanes", "parallelism.micro_batches"))
        counts = [m for m in range(groups, self.program.dims["B"] + 1, groups) if m != count]
        if not counts or self.seed % 2:
            return
        sets = [*self.sets(), "--set", f"parallelism.micro_batches={random.Random(self.seed).choice(counts)}"]
        self.run("plc-interpret", "train", self.model, *sets, *train, "--log", f"{other}.jsonl", "--save", other, "--overwrite")
        states = [folder / "step-2/state.safetensors" for folder in (other, interpreted)]
        self.free = header_of(states[0])["__metadata__"]["numerics_key"] == header_of(states[1])["__metadata__"]["numerics_key"]
        if not self.free:
            return
        parts = ("loss", "loss_bits", "grad_norm")  # each micro-batch's own loss is another
        found, expected = ([{key: step[key] for key in parts} for step in each] for each in (steps(f"{other}.jsonl"), expected))
        if found != expected:
            raise Failed(f"{' '.join(map(str, sets))}: {found}\nanother number of micro-batches, the same key: {expected}")
        for name in ("params", "state"):
            if tensors(other / "step-2" / f"{name}.safetensors") != tensors(interpreted / "step-2" / f"{name}.safetensors"):
                raise Failed(f"{other} and {interpreted}: {name}.safetensors differ, but the numerics key is one")

    def inference(self, module, saved, how):
        """What a program of other, and often fewer, layers gives."""
        if not getattr(self.program, "output", None):
            return
        name, words = self.program.output, []
        for value in self.given():
            file = self.folder / f"{value.name}.infer.npy"
            write_rows(file, value, self.program.dims, self.real, self.draws, self.program.dims["B"])
            words += ["--input", f"{value.name}=@{file}"]
        words += ["--params", saved, "--seed", self.seed]
        file = self.folder / "expected.npy"
        self.run("plc-interpret", "infer", self.model, *self.sets(), *words, "--output", f"{name}=@{file}")
        self.run("plc-run", "infer", module, *words, "--expect", f"{name}=@{file}", *how)

    def processes(self, module):
        """Of some plans of several ranks: the ranks as processes, or two of them in one."""
        if self.draws.random() > self.options.mpi:
            return []
        most = max(int(count) for count in re.findall(r"^entry .* (\d+) ranks?,", self.run("plc-run", "inspect", module), re.M))
        if most == 1 or most > 6:
            return []
        return ["--mpi", "openmpi", "--ranks", self.draws.randint(2, most)]

    def compile(self, module):
        """Until nothing is refused that cannot be: each true refusal makes a pair less."""
        strategy = self.strategy
        limit = {}
        while True:
            without = strategy.plan.copy()
            if strategy.budget and not limit and without.get("checkpoint.policy") == "budget":
                del without["checkpoint.policy"]
            words = ["plc-compile", self.model, "-o", module, *strategy.sets(without, limit)]
            code, text = attempt(*words, seconds=self.options.seconds)
            if code:
                if not strategy.takes(code, text):
                    raise Failed(f"{' '.join(map(str, words))}\nexit code {code}\n{text[-1500:]}")
                limit = {}
            elif strategy.budget and not limit:
                told = self.run("plc-run", "inspect", module)
                most = max(int(each) for each in re.findall(r"^  rank .* (\d+) bytes", told, re.M))
                limit = {"memory.budget": f"{int(most * strategy.budget)}B"}
            else:
                return

    def gradients(self):
        """A difference may straddle a kink by chance: a gradient is wrong if it is at three points."""
        if self.program.rough:
            return
        for point in range(3):
            try:
                return self.run("plc-interpret", "check-gradients", self.model, "--samples", self.options.samples, "--seed",
                           self.seed + point, "--set", f"parallelism.micro_batches={self.program.micro_batches}")
            except Failed as failure:
                last = failure
        raise last


def steps(file):
    keys = ("step", "loss", "loss_bits", "micro_batch_losses", "grad_norm")
    return [{key: step[key] for key in keys} for step in map(json.loads, open(file)) if "step" in step]


def check_bytes(log):
    for line in map(json.loads, open(log)):
        for rank in line.get("summary", {}).get("ranks", []):
            if rank["planned_bytes"] != rank["measured_bytes"]:
                raise Failed(f"{log}: rank {rank['rank']} planned {rank['planned_bytes']} bytes and wrote {rank['measured_bytes']}")


def header_of(file):
    data = file.read_bytes()
    return json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])


def tensors(file):
    data, header = file.read_bytes(), header_of(file)
    size = struct.unpack("<Q", data[:8])[0]
    header.pop("__metadata__", None)
    return {name: (info["dtype"], info["shape"], data[8 + size:][slice(*info["data_offsets"])]) for name, info in header.items()}


def main():
    options = arguments()
    start, failures, smooth, free, refused = time.time(), [], 0, 0, collections.Counter()
    for seed in range(options.first, options.last):
        check = Check(seed, options)
        try:
            check.training()
            smooth += not check.program.rough
            free += check.free
            check.gradients()
            shutil.rmtree(check.folder)
        except Failed as failure:
            failures.append(seed)
            print(f"seed {seed} (--of {options.of}, folder {check.folder}): {failure}", flush=True)
        refused.update(set(check.strategy.refused))
    count = options.last - options.first
    print(f"{count - len(failures)} of {count} programs agree, {smooth} with gradients, {free} cut otherwise; {time.time() - start:.0f} s")
    print("true refusals, behind which less was asked for: " + (", ".join(f"{refused[name]} {name}" for name in sorted(refused)) or "none"))
    sys.exit(bool(failures) and f"failed: {failures}")


if __name__ == "__main__":
    main()
