#!/usr/bin/env python3
"""Checks training runs whose processes are killed or stopped at random moments.

usage: bench/failures.py [--kills N] [--stops N] [--seed S] [--tools FOLDER]

A round hits one run by SIGKILL or SIGSTOP, as threads of one process or as processes of each MPI library. It checks
that all processes end within five seconds, that the exit code and the report are right (which process, its ranks,
the last checkpoint), that the checkpoint is whole, and that the resumed run has the bits of an undisturbed one.
Stopped runs of threads, and some MPI runs with all processes stopped, continue and must finish. Prints each failed
round and the sums."""
import argparse
import collections
import filecmp
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser()
parser.add_argument("--kills", type=int, default=1000)
parser.add_argument("--stops", type=int, default=200)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--tools", type=pathlib.Path, default=root / "build/bin")
arguments = parser.parse_args()
LIMIT, PATIENCE, EVERY, STEPS = 5, 1, 50, 3000
SIDES = {"threads": [], "openmpi": ["--mpi", "openmpi"], "mpich": ["--mpi", "mpich"]}


class Wrong(Exception):
    pass


class Clock:
    """Seconds in which this program itself could go on: a machine that sleeps is nobody's fault."""

    def __init__(self):
        self.seconds, self.last = 0, time.monotonic()

    def tick(self):
        time.sleep(0.005)
        now = time.monotonic()
        self.seconds += min(now - self.last, 0.2)
        self.last = now
        return self.seconds


def lines_of(log):
    """The steps in a log whose last line may be cut."""
    text = log.read_text() if log.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n") and line.startswith('{"step"')]


def is_there(process):
    try:
        return open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def children(process):
    try:
        found = open(f"/proc/{process}/task/{process}/children").read().split()
    except OSError:
        return []
    return [int(child) for child in found] + [below for child in found for below in children(int(child))]


def rank_processes(launcher):
    """By their numbers."""
    found = {}
    for process in children(launcher):
        try:
            if os.path.basename(os.readlink(f"/proc/{process}/exe")) == "plc-run":
                words = dict(word.split("=", 1) for word in open(f"/proc/{process}/environ").read().split("\0") if "=" in word)
                found[int(words["OMPI_COMM_WORLD_RANK"] if "OMPI_COMM_WORLD_RANK" in words else words["PMI_RANK"])] = process
        except (OSError, KeyError):
            pass
    return found


def wait_for(what, run):
    clock = Clock()
    while not what():
        if run.poll() is not None:
            raise Wrong(f"it ended by itself, with {run.returncode}: {run.stderr.read()}")
        if clock.tick() > 60:
            raise Wrong("it does not begin")


class Bench:
    def __init__(self, folder):
        self.folder, self.modules = folder, {}
        self.text = folder / "text"
        self.text.write_bytes(bytes(random.Random(0).randrange(32, 127) for _ in range(20000)))
        for stages in (1, 2, 4):
            self.modules[stages] = folder / f"gpt{stages}.plcm"
            sizes = [word for size in ("B=4", "S=8", "D=16", "H=2", "L=4") for word in ("-D", size)]
            sets = [word for key in (f"stages={stages}", "micro_batches=2") for word in ("--set", "parallelism." + key)]
            subprocess.run([arguments.tools / "plc-compile", root / "examples/gpt.ein", *sizes, *sets, "-o", self.modules[stages]],
                           check=True)
        subprocess.run(self.command(1, "threads", STEPS, folder / "whole", folder / "whole.log", EVERY), check=True,
                       stdout=subprocess.DEVNULL)
        self.bits = {line["step"]: line["loss_bits"] for line in lines_of(folder / "whole.log")}

    def command(self, stages, side, steps, save, log, every, ranks=0):
        return [arguments.tools / "plc-run", "train", self.modules[stages], "--data", f"tok={self.text}", "--data",
                f"next={self.text}+1", "--holdout", "0", "--steps", str(steps), "--save", save, "--save-every", str(every),
                "--log", log, "--hang-timeout", str(PATIENCE), *SIDES[side], *(["--ranks", str(ranks)] if ranks else [])]

    def choose(self, chance, sides):
        side = chance.choice(sides)
        stages = chance.choice([1, 2, 4] if side == "threads" else [2, 4])
        return side, stages, 0 if side == "threads" else chance.choice([r for r in (1, 2, 4) if 1 < r <= stages])

    def check_losses(self, log):
        lines = lines_of(log)
        for line in lines:
            if line["step"] in self.bits and line["loss_bits"] != self.bits[line["step"]]:
                raise Wrong(f"the loss of step {line['step']} has other bits")
        return lines

    def round(self, chance, kind, side):
        """Returns what was done, and in how many seconds all had ended."""
        save, log = self.folder / "run", self.folder / "log"
        shutil.rmtree(save, ignore_errors=True)
        log.unlink(missing_ok=True)
        side, stages, ranks = self.choose(chance, [side])
        every = chance.choice([1, 2, 5, 20])
        run = subprocess.Popen(self.command(stages, side, 1000000, save, log, every, ranks), stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
        members = {}
        try:
            wait_for(lambda: not ranks or len(members.update(rank_processes(run.pid)) or members) == ranks, run)
            moment, clock = chance.uniform(0, 1.2), Clock()
            while clock.tick() < moment:
                pass
            seconds = self.hit(chance, kind, run, members, log)
        finally:
            for process in {run.pid, *members.values()}:
                if is_there(process) and (process == run.pid or process in children(run.pid)):
                    os.kill(process, signal.SIGKILL)
            run.wait()
        self.check_losses(log)
        self.go_on(chance, save)
        return seconds

    def hit(self, chance, kind, run, members, log):
        victim = chance.choice(sorted(members)) if members else None
        known = members and open(f"/proc/{run.pid}/maps").read().count("plc-flight") == len(members)
        if kind == "pause" or not members and kind == "stop":
            return self.pause(chance, run, members, log)
        os.kill(members[victim] if members else run.pid, signal.SIGKILL if kind == "kill" else signal.SIGSTOP)
        clock = Clock()
        while run.poll() is None or any(map(is_there, members.values())):
            if clock.tick() > LIMIT:
                raise Wrong(f"not all have ended after {LIMIT} s")
        told = run.stderr.read()
        expected = -signal.SIGKILL if not members else 4 if kind == "kill" else 5
        if run.returncode != expected and (known or run.returncode not in (1, 4)):
            raise Wrong(f"exit code {run.returncode} instead of {expected}: {told}")
        what = f"error: process {victim} was lost" if kind == "kill" else f"error: process {victim} hangs: stopped for {PATIENCE} s\n"
        if members and known and not (what in told and re.search(r"^note: rank \d, stage '", told, re.M)):
            raise Wrong(f"process {victim} was hit, but the account is: {told}")
        if members and len(lines_of(log)) > 45 and known and "note: the last checkpoint is '" not in told:
            raise Wrong(f"no checkpoint is told: {told}")
        return clock.seconds

    def pause(self, chance, run, members, log):
        """Stops all, and lets all go on in some order: nothing comes of it."""
        all_processes = [run.pid, *children(run.pid)]
        for order, number in ((all_processes[::-1], signal.SIGSTOP), (all_processes, signal.SIGCONT)):
            for process in order if number == signal.SIGSTOP else chance.sample(order, len(order)):
                if is_there(process):
                    os.kill(process, number)
            if number == signal.SIGSTOP:
                time.sleep(PATIENCE * 1.5)
        before = len(lines_of(log))
        wait_for(lambda: len(lines_of(log)) > before + 1, run)
        run.terminate()
        clock = Clock()
        while run.poll() is None or any(map(is_there, members.values())):
            if clock.tick() > LIMIT:
                raise Wrong(f"not all have ended after {LIMIT} s")
        if run.returncode != 128 + signal.SIGTERM:
            raise Wrong(f"exit code {run.returncode} of a run that goes on and gets SIGTERM: {run.stderr.read()}")
        return clock.seconds

    def go_on(self, chance, save):
        """From what was saved, if anything was, to a step that the whole run has saved."""
        saved = save / "latest" / "state.safetensors"
        step = int(os.readlink(save / "latest").split("-")[1]) if saved.exists() else 0
        last = (step // EVERY + 1) * EVERY
        if last > STEPS:
            return
        side, stages, ranks = self.choose(chance, list(SIDES))
        log = self.folder / "rest.log"
        log.unlink(missing_ok=True)
        command = self.command(stages, side, last, save, log, EVERY, ranks) + (["--resume", save] if step else ["--overwrite"])
        rest = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if rest.returncode:
            raise Wrong(f"it does not go on from step {step}: {rest.stderr}")
        if len(self.check_losses(log)) != last - step:
            raise Wrong("the rest has other steps")
        for file in ("params.safetensors", "state.safetensors"):
            if not filecmp.cmp(save / f"step-{last}" / file, self.folder / "whole" / f"step-{last}" / file, shallow=False):
                raise Wrong(f"{file} of step {last} has other bits")
        if left := list(save.glob(".partial-*")):
            raise Wrong(f"left behind: {left}")


def kinds():
    """Rounds by kind and side, evenly mixed: of MPI's stops each fourth is one of all processes."""
    sides = list(SIDES)
    rounds = [("kill", sides[i % 3]) for i in range(arguments.kills)]
    rounds += [("pause" if i % 3 == 0 or i % 4 == 3 else "stop", sides[i % 3]) for i in range(arguments.stops)]
    random.Random(arguments.seed).shuffle(rounds)
    return rounds


def tell(ends, wrong):
    for (kind, side), seconds in sorted(ends.items()):
        print(f"{kind}, {side}: {len(seconds)} rounds as they should be, all processes gone after {sorted(seconds)[len(seconds) // 2]:.1f} s, "
              f"at most {max(seconds):.1f} s")
    print("wrong:", wrong, flush=True)


with tempfile.TemporaryDirectory() as name:
    bench, wrong, ends = Bench(pathlib.Path(name)), 0, collections.defaultdict(list)
    for number, (kind, side) in enumerate(kinds()):
        chance = random.Random(f"{arguments.seed} {number}")
        try:
            seconds = bench.round(chance, kind, side)
            ends[kind, side].append(seconds)
        except Wrong as error:
            wrong += 1
            print(f"round {number} ({kind}, {side}): {error}", flush=True)
        if (number + 1) % 50 == 0:
            tell(ends, wrong)
    tell(ends, wrong)
    sys.exit(wrong > 0)
