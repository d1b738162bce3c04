"""free_orders.py MODEL.mlir [ORDERS]: what ranks may exchange under some plans. Each pair of `after` is taken away by itself, which
--plan-verify must refuse; so it holds no pair that follows from others, and none that nothing needs. Orders that are left open are drawn
by chance, of all ranks together, and each must be proven as a list of its own. With a place to spare a rank can run F of a later
micro-batch before a B that it is listed behind; some drawn order must do so."""
import re
import subprocess
import sys

model, orders = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10
PLANS = [("stages=1", "gpipe", "spare=1"), ("stages=2", "1f1b", "spare=1"), ("stages=2", "1f1b", "spare=0"),
         ("stages=3", "1f1b", "spare=1"), ("stages=3", "gpipe", "most-values=0"), ("stages=3 rank-map=0,1,0", "zb_h1", "spare=2"),
         ("stages=2 policy=uniform interval=1 micro-batches=except_last", "1f1b", "spare=1")]


def opt(*arguments, text=None):
    done = subprocess.run(["plc-opt", *arguments], input=text, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"plc-opt ends with {done.returncode}:\n{done.stderr[-3000:]}")
    return done


def right(*arguments, **options):
    done = opt(*arguments, **options)
    if done.returncode:
        sys.exit(f"plc-opt {' '.join(arguments)}:\n{done.stderr[-3000:]}")
    return done.stdout


def runs(text):
    """Of each rank its runs, in their order."""
    parts = re.split(r"plan\.rank (\d+)", text)
    return {parts[i]: re.findall(r"plan\.run @(\w+) +(\w+) mb (-?\d+)", parts[i + 1]) for i in range(1, len(parts), 2)}


pairs = drawn = 0
for stages, schedule, places in PLANS:
    passes = (f"plan-partition{{{stages}}},plan-infer-skips,plan-schedule{{schedule={schedule}}},plan-remat,plan-insert-comm,"
              f"plan-addresses{{{places}}},plan-free-order")
    text = right(model, f"--pass-pipeline=builtin.module({passes})")
    right("--plan-verify", text=text)
    lists = list(re.finditer(r"after \[([\d, ]*)\]", text))
    mutants = []
    for found in lists:
        numbers = found[1].split(", ")
        for i in range(0, len(numbers), 2):
            fewer = ", ".join(numbers[:i] + numbers[i + 2:])
            mutants.append(text[:found.start(1)] + fewer + text[found.end(1):])
    # All in one run: of each part of the input the tool says what is wrong.
    done = opt("--plan-verify", "--split-input-file", text="\n// -----\n".join(mutants))
    refused = len(re.findall(r"error: .* may come before action \d+, which it must come after", done.stderr))
    noted = len(re.findall(r"note: action \d+ uses bytes that it uses, too, or has a turn before it", done.stderr))
    if refused != len(mutants) or noted != refused or done.stderr.count("error:") != refused:
        sys.exit(f"{stages} {schedule} {places}: of {len(mutants)} plans without a pair {refused} are refused\n{done.stderr[:3000]}")
    pairs += len(mutants)
    exchanged = set()
    for seed in range(1, orders + 1):
        other = right(f"--plan-free-order=shuffle={seed}", text=text)
        right("--plan-verify", text=other)
        exchanged.add(str(runs(other)))
        drawn += 1
    if "spare=1" in places and exchanged <= {str(runs(text))}:
        sys.exit(f"{stages} {schedule} {places}: no order that was drawn exchanges two tasks")
print(f"{pairs} pairs, of which none may be missing; {drawn} orders, all of them right")
