"""prove_all.py MODEL: plans the model under every mode, cut and order, with B and W apart and together, and proves each."""
import itertools
import subprocess
import sys

modes = ["policy=uniform interval=1", "policy=uniform interval=2", "policy=selective layers=1",
         "policy=dynamic memory-fraction=0.4"]
plans = clones = 0
for stages, order, mode, which, joined in itertools.product(
        [1, 2, 3], ["gpipe", "1f1b"], modes, ["always", "except_last"], [False, True]):
    recompute = f"{mode} micro-batches={which}"
    passes = (f"plan-partition{{stages={stages} {recompute} join-backward={str(joined).lower()}}},plan-infer-skips,"
              f"plan-schedule{{schedule={order}}},plan-remat,plan-insert-comm,plan-addresses,plan-verify")
    run = subprocess.run(["plc-opt", sys.argv[1], f"--pass-pipeline=builtin.module({passes})"], capture_output=True,
                         encoding="utf-8")
    if run.returncode:
        sys.exit(f"{passes}\n{run.stderr}")
    plans += 1
    clones += run.stdout.count("recompute <")
print(f"{plans} plans proven, {clones} clones")
