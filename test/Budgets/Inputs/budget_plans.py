"""budget_plans.py MODEL FOLDER: trains MODEL under budgets, each a part of what the same plan takes without recomputation.
Fails unless all have the same bits as that plan, with dead bytes overwritten, and each rank takes the bytes that are
planned, which are inside the budget. A budget far too small is refused at a line of the model."""
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Integration/Inputs"))
from train_on_text import train_on_text

model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
SIZES = ["-DB=16", "-DS=32", "-DD=16", "-DH=2", "-DL=2", "-DV=128", "--set", "parallelism.micro_batches=4"]
STEPS = 2
CUTS = [(1, "1f1b"), (2, "1f1b"), (4, "interleaved"), (2, "zb_h1")]
PARTS = [0.85]


def compile_plan(sets):
    words = [word for each in sets for word in ("--set", each)]
    return subprocess.run(["plc-compile", model, *SIZES, "-o", folder / "m.plcm", *words], stderr=subprocess.PIPE, text=True)


def train(sets):
    """The losses, and the bytes of each rank."""
    run = compile_plan(sets)
    if run.returncode:
        sys.exit(f"{sets}: {run.stderr}")
    return train_on_text(folder / "m.plcm", model, folder / "log", STEPS)


shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
expected, plans, fewer = None, 0, 0
for stages, schedule in CUTS:
    cut = [f"parallelism.stages={stages}", f"parallelism.schedule={schedule}"]
    bits, plain = train(cut)
    expected = expected or bits
    # Where W is apart, whole layers are no help: what W reads is held by what runs before it.
    for policy in ("budget", "dynamic") if schedule != "zb_h1" else ("budget",):
        for part in PARTS:
            budget = int(max(plain) * part)
            found, used = train([*cut, f"checkpoint.policy={policy}", f"memory.budget={budget}B"])
            if found != expected or len(set(found)) < STEPS:
                sys.exit(f"{cut}, {policy} {part}: {found} but expected {expected}")
            if max(used) > budget:
                sys.exit(f"{cut}, {policy} {part}: {used} bytes, budget {budget}")
            plans += 1
            fewer += max(used) < max(plain)
    # What fits as it is computes nothing again.
    free = subprocess.run(["plc-compile", model, *SIZES, *(word for each in [*cut, "checkpoint.policy=budget", f"memory.budget={max(plain)}B"]
                                                           for word in ("--set", each))], capture_output=True, text=True)
    if "recomputation none: 0 B saved" not in free.stdout:
        sys.exit(f"{cut} with {max(plain)} bytes: {free.stdout}{free.stderr}")
small = compile_plan(["checkpoint.policy=budget", "memory.budget=64KiB"])
if small.returncode != 3 or "no plan fits: rank 0 needs" not in small.stderr:
    sys.exit(f"64 KiB: {small.stderr}")
print(f"{plans} plans of {STEPS} steps agree bit for bit inside their budgets, {fewer} take fewer bytes")
