"""line_orders.py FIRST LAST FOLDER: the order of independent lines of a model changes no plan.

Of each random model of many layers (random_layers.py) three texts, whose independent lines stand in other orders, are compiled under
strategies that the seed chooses. What plc-compile prints of the plan, which is stages, routes, predicted steps, bytes and bounds, must be the same,
or what it refuses. Prints the pairs that differ, with how to repeat them."""
import pathlib
import random
import subprocess
import sys

from random_layers import Layered
from random_strategies import Strategy


def plan_of(model, words):
    done = subprocess.run(["plc-compile", model, *words], capture_output=True, text=True)
    # Warnings and errors name lines, which are others.
    return done.returncode, done.stdout, [line.split(": ", 1)[-1] for line in done.stderr.split("\n") if "error: " in line]


def main():
    first, last, folder = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    agree, moved, plans = 0, 0, 0
    for seed in range(first, last):
        program, draw = Layered(seed), random.Random(seed)
        files = [folder / f"{seed}.{order}.ein" for order in range(3)]
        for order, file in enumerate(files):
            file.write_text(program.text(random.Random(order) if order else None))
        moved += len({file.read_text() for file in files}) > 1
        same = True
        for _ in range(3):
            strategy = Strategy(draw, program)
            words = strategy.sets(strategy.plan)
            found = [plan_of(file, words) for file in files]
            plans += found[0][0] == 0
            if any(plan != found[0] for plan in found[1:]):
                same = False
                print(f"seed {seed}: {' '.join(map(str, files))} {' '.join(words)}", flush=True)
        agree += same
    print(f"{agree} of {last - first} models agree, {moved} of them in other orders, under {plans} plans")
    sys.exit(agree < last - first)


main()
