"""budget_sweep.py MODEL.ein [ARGUMENTS...]: what a smaller budget does to a plan.

What a plan takes without a budget is enough for it, so that it stays as it is, under several schedules on several ranks. Below that
recomputation keeps the budget: no budget is refused above one that is kept, none gives a faster plan than a larger one, and
`auto` is as fast as 1f1b, but for a two-hundredth: of plans that are about as fast it takes the smallest."""
import re
import subprocess
import sys


def plan(schedule, stages, *settings):
    """The step in ns and the largest arena; None if no plan fits."""
    settings = [f"parallelism.schedule={schedule}", f"parallelism.stages={stages}", *settings]
    command = ["plc-compile", *sys.argv[1:], "--emit=addresses"]
    done = subprocess.run(command + [word for each in settings for word in ("--set", each)], capture_output=True, text=True)
    if done.returncode == 3:
        return None
    if done.returncode:
        sys.exit(done.stderr)
    return int(re.search(r"\bstep_ns = (\d+)", done.stdout)[1]), max(map(int, re.findall(r"\barena (\d+)", done.stdout)))


def check(good, *told):
    if not good:
        sys.exit(" ".join(map(str, told)))


for schedule, stages in ("1f1b", 4), ("interleaved", 4), ("zbv", 2), ("auto", 2):
    free = plan(schedule, stages)
    kept = plan(schedule, stages, f"memory.budget={free[1]}B")
    check(kept and kept[0] <= free[0], schedule, "is", free, "but", kept, "with as much")
print("plans keep a budget of what they take")

step, arena = plan("1f1b", 2)
last, refused, solved = step, None, 0
for part in (1, 0.97, 0.94, 0.89, 0.864, 0.846):
    budget = f"memory.budget={int(arena * part)}B"
    kept = plan("1f1b", 2, budget, "checkpoint.policy=budget")
    if kept is None:
        refused = budget
        continue
    check(not refused, budget, "is kept, but not", refused)
    check(kept[1] <= arena * part and kept[0] >= last, budget, kept, "beside", last, "ns with more")
    last, solved = kept[0], solved + 1
    if part in (1, 0.94):
        searched = plan("auto", 2, budget, "checkpoint.policy=budget")
        check(searched and searched[0] <= 1.005 * kept[0], "auto", searched, "1f1b", kept, "with", budget)
check(last > step and solved > 3, "computes nothing again")
print("less memory is no faster, and auto as fast as 1f1b")
