"""predicted_threads.py MODEL TURNS: what plc-compile predicts for one and two threads of a rank, of a model and of one whose
iterations are too short for two."""
import re
import subprocess
import sys

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6}


def compiled(*sets, model=sys.argv[1]):
    words = [word for each in sets for word in ("--set", each)]
    return subprocess.run(["plc-compile", model, *words], capture_output=True, text=True, check=True).stdout


def step(text, line):
    found = re.search(line + r" ([0-9.]+) (\w+)", text, re.M)
    return float(found[1]) * UNITS[found[2]]


plans = [compiled("parallelism.stages=2", "parallelism.micro_batches=4", f"machine.threads_per_stage={threads}") for threads in (1, 2)]
order = [step(plan, "^  order") for plan in plans]
played = [step(plan, "^  step with messages, waits, help and updates") for plan in plans]
if order[0] == order[1] and 0.5 <= played[1] / played[0] <= 0.9:
    print("one order, two threads within 0.5 and 0.9 of one")
joint = [step(compiled("parallelism.kind=automatic", "machine.ranks=2", f"machine.threads_per_stage={threads}"), "^chosen: .* step") for threads in (1, 2)]
print(f"joint plan on 2 ranks of 1 thread: step {joint[0] / 1e6:.1f} ms")
print("joint plan on 2 ranks of 2 threads:", "shorter" if joint[1] < joint[0] else joint[1])
found = compiled("parallelism.kind=automatic", "machine.ranks=2")
told, played = re.search(r"^chosen: .* step (.*)", found, re.M)[1], re.search(r"^  step with .* updates (.*)", found, re.M)[1]
print("the search and the simulator say", "the same" if told == played else (told, played))
pipeline = ["parallelism.stages=2", "parallelism.micro_batches=2"]
with open("rates.toml", "w") as file:
    file.write("slowdown-by-twice-the-cores = 1.5\n")
helped, alone, slow = [step(compiled(*pipeline, *more), "^  step with messages, waits, help and updates")
                       for more in ([], ["machine.transport=mpi"], ["machine.transport=mpi", "machine.rates=rates.toml"])]
print("processes do not help:", "longer" if alone > 1.02 * helped else (alone, helped))
print("two busy cores:", "slower" if 1.45 <= slow / alone <= 1.5 else (slow, alone))
turns = [step(compiled(f"machine.threads_per_stage={threads}", model=sys.argv[2]), "^  step with messages, waits, help and updates") for threads in (1, 2)]
print("short turns on 1 and 2 threads:", "equal" if turns[0] == turns[1] else turns)
