"""Compiles and interprets random programs (random_program.py) and compares.

For each seed: two steps of training under a plan and on a path of this CPU (AVX2 or AVX-512, tiles or BLIS) that the seed
chooses have plc-interpret's bits (losses, gradient norms,
and after the steps every parameter and moment), in f64 for every fourth seed; and plc-interpret check-gradients passes on
smooth programs. A program that plc-compile refuses counts as a failure. Prints one line per failure, with how to repeat it."""
import argparse
import json
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import time

from random_program import Program


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog="A large run: check_random_programs.py 0 200 --folder /tmp/programs")
    parser.add_argument("first", type=int, help="first seed")
    parser.add_argument("last", type=int, help="the seed behind the last one")
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="for programs, data and logs; failed ones stay")
    parser.add_argument("--model", type=pathlib.Path, help="check this text under the plan and data of seed FIRST")
    parser.add_argument("--samples", type=int, default=5, help="elements of each parameter whose difference is taken (5)")
    parser.add_argument("--seconds", type=float, default=120, help="a command that takes longer has failed (120)")
    return parser.parse_args()


def has_avx512():
    flags = next((line.split() for line in open("/proc/cpuinfo") if line.startswith("flags")), [])
    return {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= set(flags)


class Failed(Exception):
    pass


def run(*command, seconds):
    words = [str(word) for word in command]
    try:
        result = subprocess.run(words, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Failed(f"{' '.join(words)}\nno end after {seconds} s") from None
    if result.returncode:
        raise Failed(f"{' '.join(words)}\nexit code {result.returncode}\n{result.stderr[-1500:]}{result.stdout[-1500:]}")
    return result.stdout


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
        self.program = Program(seed)
        self.folder = options.folder / str(seed)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.model = self.folder / "program.ein"
        self.model.write_text(options.model.read_text() if options.model else self.program.text())
        draws = random.Random(seed)
        self.real = "f64" if seed % 4 == 3 else "f32"
        self.plan = {"stages": draws.randint(1, min(3, self.program.calls)), "schedule": draws.choice(["gpipe", "1f1b"])}
        self.threads = draws.randint(1, 2)
        # The instructions and the contractions' kernels: whatever this CPU has.
        isas = ["native", "avx2"] + ["avx512"] * has_avx512()
        self.code = {"isa": draws.choice(isas), "contractions": draws.choice(["own", "blis"])}
        if draws.random() < 0.5:  # between kernels there are more places to cut
            self.plan |= {"stages": draws.randint(1, 6), "grain": "equation",
                          "schedule": draws.choice(["gpipe", "1f1b", "zb_h1"])}
        self.turns = draws.choice(["keep", "recompute"])
        parts = self.program.micro_batches
        self.lanes = draws.choice([n for n in range(1, parts + 1) if parts % n == 0])
        self.plan["replicas"] = draws.choice([n for n in range(1, self.lanes + 1) if self.lanes % n == 0])
        # A size in parts, if parameters have it: then more ranks share a stage, or all parts are on its rank.
        dims = [(name, parts) for name, extent in self.program.dims.items() for parts in (2, 3, 4) if name != "B" and extent % parts == 0]
        self.shard = draws.choice(dims) if dims and draws.random() < 0.5 else None
        self.shard_ranks = draws.choice([n for n in range(1, self.shard[1] + 1) if self.shard[1] % n == 0]) if self.shard else 1
        self.draws = draws

    def run(self, *command):
        return run(*command, seconds=self.options.seconds)

    def sets(self):
        words = ["--set", f"parallelism.micro_batches={self.program.micro_batches}", "--set", "optimizer.lr=1e-2",
                 "--set", f"gradient.lanes={self.lanes}", "--set", f"precision.compute={self.real}"]
        return words + (["--set", "parallelism.shard={%s=%d}" % self.shard] if self.shard else [])

    def training(self):
        data = ["--steps", "2", "--holdout", "0", "--seed", str(self.seed)]
        module = self.folder / "module.plcm"
        self.compile(module)
        for value in self.program.inputs + self.program.indices + self.program.masks:
            file = self.folder / f"{value.name}.npy"
            write_rows(file, value, self.program.dims, self.real, self.draws, 2 * self.program.dims["B"])
            if f'"name":"{value.name}"'.encode() in module.read_bytes():  # else nothing needs it
                data += ["--data", f"{value.name}={file}"]
        compiled, interpreted = self.folder / "compiled", self.folder / "interpreted"
        self.run("plc-run", "train", module, *data, "--log", f"{compiled}.jsonl", "--save", compiled, "--overwrite")
        self.run("plc-interpret", "train", self.model, *self.sets(), *data, "--log", f"{interpreted}.jsonl", "--save", interpreted, "--overwrite")
        found, expected = steps(f"{compiled}.jsonl"), steps(f"{interpreted}.jsonl")
        if found != expected:
            raise Failed(f"compiled    {found}\ninterpreted {expected}")
        if len(expected) != 2 or any(step["loss"] is None for step in expected):
            raise Failed(f"no two finite losses: {expected}")
        for name in ("params", "state"):
            if tensors(compiled / "step-2" / f"{name}.safetensors") != tensors(interpreted / "step-2" / f"{name}.safetensors"):
                raise Failed(f"{compiled} and {interpreted}: {name}.safetensors differ")

    def compile(self, module):
        """On fewer stages where calls that nothing needs leave less to cut; undivided where a size cannot be."""
        while True:
            plan = [word for key, value in self.plan.items() for word in ("--set", f"parallelism.{key}={value}")]
            plan += ["--set", f"checkpoint.turns={self.turns}"]
            plan += ["--set", f"parallelism.shard_ranks={self.shard_ranks}"] if self.shard else []
            plan += [word for key, value in self.code.items() for word in ("--set", f"machine.{key}={value}")]
            try:
                return self.run("plc-compile", self.model, "-o", module, *self.sets(), *plan, "--set",
                           f"machine.threads_per_stage={self.threads}")
            except Failed as failure:
                if self.shard and "--set parallelism.shard=" in str(failure).split("\n", 1)[1]:
                    self.shard = None
                    continue
                if "no plan fits" not in str(failure) or self.plan["stages"] == 1:
                    raise
                self.plan["stages"] -= 1

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


def tensors(file):
    data = file.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    return {name: (info["dtype"], info["shape"], data[8 + size:][slice(*info["data_offsets"])]) for name, info in header.items()}


def main():
    options = arguments()
    start, failures, smooth = time.time(), [], 0
    for seed in range(options.first, options.last):
        check = Check(seed, options)
        try:
            check.training()
            smooth += not check.program.rough
            check.gradients()
            shutil.rmtree(check.folder)
        except Failed as failure:
            failures.append(seed)
            print(f"seed {seed} ({check.real}, {check.plan}, {check.code}, {check.shard} on {check.shard_ranks}, {check.program.micro_batches} micro-batches, {check.threads} "
                  f"threads): {failure}", flush=True)
    count = options.last - options.first
    print(f"{count - len(failures)} of {count} programs agree, {smooth} with gradients; {time.time() - start:.0f} s")
    sys.exit(bool(failures) and f"failed: {failures}")


if __name__ == "__main__":
    main()
