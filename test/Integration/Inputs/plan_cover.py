"""plan_cover.py [--full] [--remat POLICY,..] [--schedules NAME,..] [--transports NAME,..] [--replicas NUMBER,..] [--stages NUMBER,..] [--modes NAME,..] FOLDER STEPS MODEL.ein [COMPILE ARGUMENTS...]: a plan changes no bit, and
planned bytes are measured bytes.

Trains a model (compile arguments: MODEL.ein, -D, --set) under plans that together hold every pair of values of: stages,
schedule, rematerialization, threads per stage, straight or stopped half way and resumed, transport, replicas, mode. --full: under
every plan. A transport is `threads`, or an MPI library: of 4 ranks some run in 4 processes and some in 2, and a run that is
resumed goes on by the next transport, and on the next number of replicas. Policy `budget` gets the smallest of some parts of
what the plan takes that recomputes nothing. Fails unless each policy makes some plan compute again, all runs have one numerics key and the same bits of every loss, of the norm and of
what is saved in the end, every rank wrote exactly the bytes that were planned, and --check-arena changes nothing. The data
is the model's own text.

By hand, with build/bin in PATH, some minutes: python3 test/Integration/Inputs/plan_cover.py --full \\
  --remat none,uniform,selective,dynamic /tmp/cover 50 examples/gpt.ein -DB=8 -DS=8 -DD=8 -DH=2 -DL=2 \\
  --set parallelism.micro_batches=4"""
import argparse
import itertools
import json
import pathlib
import re
import shutil
import subprocess
import sys

import pairs

REMAT = {"none": [], "uniform": ["checkpoint.interval=2"], "selective": ["checkpoint.layers=[1]"],
         "dynamic": ["checkpoint.memory_fraction=0.5"], "budget": []}
BUDGETS = (0.8, 0.92, 1)
MOST_PROCESSES = 8


def next_of(values, value):
    return values[(values.index(value) + 1) % len(values)]


class Cover:
    """Runs rows. A failure ends the process, and names the plan."""

    def __init__(self, folder, steps, compile_arguments, transports, counts, modes=("lazy",), budgets=BUDGETS):
        self.folder, self.steps, self.arguments = pathlib.Path(folder), steps, compile_arguments
        self.transports, self.counts, self.modes, self.budgets = transports, counts, modes, budgets
        self.most_added = {}  # operations with what is computed again, by policy, as parts of those without
        self.folder.mkdir(parents=True, exist_ok=True)
        text = compile_arguments[0]
        self.data = ["--data", f"tok={text}", "--data", f"next={text}+1", "--holdout", "0", "--seed", "7"]
        self.expected, self.saved, self.plan = None, {}, ""

    def fail(self, why):
        sys.exit(f"plan {self.plan}: {why}")

    def run(self, *command, ends=(0,)):
        """The exit code, which must be one of these."""
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in ends:
            self.fail(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stderr}")
        return done.returncode

    def module(self, stages, schedule, remat, replicas, mode):
        path = self.folder / f"{stages}.{schedule}.{remat}.{replicas}.{mode}.plcm"
        if not path.exists():
            sets = [f"parallelism.stages={stages}", f"parallelism.schedule={schedule}", f"checkpoint.policy={remat}",
                    f"parallelism.replicas={replicas}", f"mode={mode}"]
            if remat == "budget":
                self.compile_in_budget(sets, path, self.module(stages, schedule, "none", replicas, mode))
            else:
                self.compile(sets + REMAT[remat], path)
        return str(path)

    def compile(self, sets, path, ends=(0,)):
        flags = [word for key in sets for word in ("--set", key)]
        return self.run("plc-compile", *self.arguments, *flags, "-o", str(path), ends=ends)

    def compile_in_budget(self, sets, path, free):
        """The other programs of a module must fit, too."""
        told = subprocess.run(["plc-run", "inspect", free], capture_output=True, text=True, check=True).stdout
        train = told[told.index("entry train"):].split("\n\n")[0]
        most = max(int(each) for each in re.findall(r"^  rank .* (\d+) bytes", train, re.M))
        for part in self.budgets:
            if self.compile([*sets, f"memory.budget={int(most * part)}B"], path, ends=(0, 3)) == 0:
                return
        self.fail(f"nothing fits in the {most} bytes of what recomputes nothing")

    def train(self, module, threads, name, *flags, steps=None, processes=()):
        log = self.folder / f"{name}.jsonl"
        self.run("plc-run", "train", module, "--set", f"machine.threads_per_stage={threads}", *self.data, "--steps",
            str(steps or self.steps), "--log", str(log), "--overwrite", *processes, *flags)
        return log

    def check(self, log):
        """A log of all steps."""
        lines = [json.loads(line) for line in open(log)]
        plans = [line["plan"] for line in lines if "plan" in line]
        keys = {plan["numerics_key"] for plan in plans}
        for plan in plans:
            self.most_added[plan["remat"]] = max(self.most_added.get(plan["remat"], 1), plan["added_flop_factor"])
        bits = [(line["step"], line["loss_bits"], line["grad_norm"]) for line in lines if "step" in line]
        if [step for step, _, _ in bits] != list(range(1, self.steps + 1)):
            self.fail(f"found steps {[step for step, _, _ in bits]}, expected 1 to {self.steps}")
        if self.expected is None:
            if len({loss for _, loss, _ in bits}) < self.steps // 2:
                self.fail("the loss does not move")
            self.expected = (keys, bits)
        for found, expected in zip((keys, bits), self.expected):
            if found != expected:
                differ = next((pair for pair in zip(found, expected) if pair[0] != pair[1]), (found, expected))
                self.fail(f"found {differ[0]}, expected {differ[1]}")
        for rank in (rank for line in lines if "summary" in line for rank in line["summary"]["ranks"]):
            if rank["planned_bytes"] != rank["measured_bytes"]:
                self.fail(f"rank {rank['rank']} planned {rank['planned_bytes']} bytes and wrote {rank['measured_bytes']}")

    def check_saved(self, folder):
        found = [(folder / "latest" / f"{part}.safetensors").read_bytes() for part in ("params", "state")]
        if found != self.saved.setdefault("first", found):
            self.fail("another checkpoint than the first plan's")

    @staticmethod
    def ranks(module):
        told = subprocess.run(["plc-run", "inspect", module], capture_output=True, text=True, check=True).stdout
        return int(re.search(r"entry train: .* (\d+) ranks?,", told)[1])

    def processes(self, module, transport, fewer):
        if transport == "threads":
            return []
        ranks = self.ranks(module)
        return ["--mpi", transport, "--ranks", str(2 if fewer and ranks == 4 else min(ranks, MOST_PROCESSES))]

    def clear(self):
        """Forgets what ran; modules are compiled again."""
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def row(self, stages, schedule, remat, threads, resumed, transport, replicas, mode, *flags):
        """flags: further ones of the run that is checked."""
        how = "resumed" if resumed else "straight"
        self.plan = name = f"{stages}.{schedule}.{remat}.{threads}.{how}.{transport}.{replicas}.{mode}"
        module = self.module(stages, schedule, remat, replicas, mode)
        end = self.folder / f"{name}.end"
        fewer = threads == 2
        following = next_of(self.transports, transport)
        if resumed:
            saved = str(self.folder / name)
            self.train(module, threads, name, "--save", saved, steps=self.steps // 2,
                       processes=self.processes(module, transport, fewer))
            module = self.module(stages, schedule, remat, next_of(self.counts, replicas), next_of(self.modes, mode))
            log = self.train(module, threads, name, "--resume", saved, "--save", str(end), *flags,
                             processes=self.processes(module, following, not fewer))
        else:
            log = self.train(module, threads, name, "--save", str(end), *flags, processes=self.processes(module, transport, fewer))
        self.check(log)
        self.check_saved(end)

    def check_recomputed(self, policies):
        for policy in policies:
            if policy != "none" and self.most_added.get(policy, 1) == 1:
                sys.exit(f"no plan computes anything again by policy '{policy}'")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--full", action="store_true")
    options.add_argument("--remat", default="none")
    options.add_argument("--schedules", default="1f1b,gpipe")
    options.add_argument("--transports", default="threads")
    options.add_argument("--replicas", default="1")
    options.add_argument("--stages", default="1,2,4")
    options.add_argument("--modes", default="lazy")
    options.add_argument("folder")
    options.add_argument("steps", type=int)
    chosen, rest = options.parse_known_args()
    schedules, transports = tuple(chosen.schedules.split(",")), tuple(chosen.transports.split(","))
    stages, counts = tuple(map(int, chosen.stages.split(","))), tuple(map(int, chosen.replicas.split(",")))
    policies, modes = tuple(chosen.remat.split(",")), tuple(chosen.modes.split(","))
    factors = [stages, schedules, policies, (1, 2), (False, True), transports, counts, modes]
    cover = Cover(chosen.folder, chosen.steps, rest, transports, counts, modes)
    rows = list(itertools.product(*factors)) if chosen.full else pairs.cover(factors)
    for row in rows:
        cover.row(*row)
    for schedule in schedules:
        module = cover.module(stages[-1], schedule, rows[-1][2], counts[-1], modes[-1])
        cover.plan = f"check-arena.{schedule}"
        cover.check(cover.train(module, 2, cover.plan, "--check-arena"))
    cover.check_recomputed(policies)
    print(f"{len(rows)} plans agree bit for bit in {chosen.steps} steps, and wrote what they planned")


if __name__ == "__main__":
    main()
