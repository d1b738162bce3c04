"""remat_plans.py MODEL FOLDER: trains MODEL under plans that recompute and some that do not; fails unless all have the
same bits, with dead bytes overwritten, planned bytes are measured bytes, and recomputation takes fewer. The last plan
resumes half way where another stopped."""
import pathlib
import shutil
import subprocess
import sys

from train_on_text import train_on_text

model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
SIZES = ["-DB=8", "-DS=16", "-DD=32", "-DH=2", "-DL=2", "--set", "parallelism.micro_batches=4"]
STEPS = 6
PLANS = [
    (1, "1f1b", ["policy=none"]),
    (1, "1f1b", ["policy=uniform", "interval=1"]),
    (1, "gpipe", ["policy=uniform", "micro_batches=except_last"]),
    (1, "1f1b", ["policy=dynamic", "memory_fraction=0.4"]),
    (2, "gpipe", ["policy=none"]),
    (2, "gpipe", ["policy=uniform", "interval=1"]),
    (2, "1f1b", ["policy=selective", "layers=[1]", "ffn=false"]),
    (2, "1f1b", ["policy=uniform", "interval=5", "grain=equation"]),
    (4, "1f1b", ["policy=uniform", "micro_batches=except_last"]),
    (4, "gpipe", ["policy=none"]),
    (4, "gpipe", ["policy=uniform", "interval=1"]),
    (4, "1f1b", ["policy=dynamic", "memory_fraction=0.4", "attention=false"]),
]


def compile_plan(stages, schedule, checkpoint):
    module = folder / "m.plcm"
    sets = [f"parallelism.stages={stages}", f"parallelism.schedule={schedule}", "optimizer.lr=2e-3",
            *("checkpoint." + key for key in checkpoint)]
    subprocess.run(["plc-compile", model, *SIZES, "-o", module, *(word for each in sets for word in ("--set", each))],
                   check=True)
    return module


def train(plan, steps=STEPS, *options):
    bits, planned = train_on_text(compile_plan(*plan), model, folder / "log", steps, *options)
    return bits, sum(planned)


shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
expected, plain = None, {}
for plan in PLANS:
    bits, used = train(plan)
    expected = expected or bits
    if bits != expected or len(set(bits)) < STEPS:
        sys.exit(f"{plan}: {bits} but expected {expected}")
    if plan[2] == ["policy=none"]:
        plain[plan[:2]] = used
    elif used >= plain.get(plan[:2], used + 1):
        sys.exit(f"{plan}: {used} bytes but {plain[plan[:2]]} without recomputation")
train(PLANS[1], STEPS // 2, "--save", folder / "run")
resumed, _ = train(PLANS[6], STEPS, "--resume", folder / "run")
if resumed != expected[STEPS // 2:]:
    sys.exit(f"resumed: {resumed} but expected {expected[STEPS // 2:]}")
print(f"{len(PLANS) + 1} plans of {STEPS} steps agree bit for bit; planned bytes are measured bytes; recomputation takes "
      "fewer")
