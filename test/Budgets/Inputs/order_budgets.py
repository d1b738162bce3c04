"""order_budgets.py MODEL FOLDER: trains MODEL under schedule `auto` and budgets: what ranks take that run one micro-batch
after the other, which no order undercuts; what `auto` takes without a budget; and what is between, and above. Fails unless
each plan is inside its budget, has the bits of the plan without one, with dead bytes overwritten, and takes no more time than
the one before, but for a hundredth, by which searches may differ. A budget that holds no micro-batch is refused at a line of the model."""
import json
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Integration/Inputs"))
from train_on_text import train_on_text

model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
SIZES = ["-DB=8", "-DS=32", "-DD=32", "-DH=2", "-DL=4", "-DV=128"]
STEPS = 2
MICRO_BATCHES = 8


def compile_plan(sets, *options):
    words = [word for each in sets for word in ("--set", each)]
    return subprocess.run(["plc-compile", model, *SIZES, *options, *words], capture_output=True, text=True)


def train(sets):
    """The losses, the bytes of the rank that takes most, and the step in ns."""
    run = compile_plan(sets, "-o", folder / "m.plcm")
    if run.returncode:
        sys.exit(f"{sets}: {run.stderr}")
    bits, used = train_on_text(folder / "m.plcm", model, folder / "log", STEPS)
    with open(folder / "log") as log:
        return bits, max(used), json.loads(log.readline())["plan"]["step_ns"]


shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
plans = 0
for stages in (2, 3):
    turns = "".join(",".join(f"{s}F{i},{s}B{i}" for i in range(MICRO_BATCHES)) + "\n" for s in range(stages))
    (folder / "turns.csv").write_text(turns)
    expected, least, _ = train([f"parallelism.schedule.file={folder / 'turns.csv'}"])
    cut = [f"parallelism.stages={stages}", "parallelism.schedule=auto", f"parallelism.micro_batches={MICRO_BATCHES}"]
    bits, plain, _ = train(cut)
    if bits != expected or plain <= least:
        sys.exit(f"{cut}: {bits} in {plain} bytes, one after the other {expected} in {least}")
    before, steps = None, {}
    for budget in (least, (least + plain) // 2, 2 * plain)[stages == 2 :]:
        sets = [*cut, f"memory.budget={budget}B"]
        bits, used, ns = train(sets)
        if bits != expected or used > budget:
            sys.exit(f"{sets}: {bits} in {used} bytes, expected {expected}")
        steps[budget] = ns
        if before and ns > 1.01 * before:
            sys.exit(f"{sets}: step {ns}, with fewer bytes {before}")
        before = ns
        plans += 1
    # Where recomputation is solved too, both are tried, and the step is no longer for it, but for a hundredth.
    if stages == 2:
        budget = (least + plain) // 2
        sets = [*cut, f"memory.budget={budget}B"]
        bits, used, ns = train([*sets, "checkpoint.policy=budget"])
        if bits != expected or used > budget or ns > 1.01 * steps[budget]:
            sys.exit(f"{sets} with policy budget: {bits} in {used} bytes, expected {expected}")
        plans += 1
small = compile_plan([*cut, "memory.budget=64KiB"])
if small.returncode != 3 or "no plan fits" not in small.stderr:
    sys.exit(f"64 KiB: {small.stderr}")
print(f"{plans} plans of {STEPS} steps agree bit for bit inside their budgets")
