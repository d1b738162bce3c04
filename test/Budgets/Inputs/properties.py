"""properties.py [--parts 1,0.9,..] [--beside "KEY=VALUE KEY=VALUE"].. [--slack FACTOR] [--reproduced] PLAN MODEL.ein [ARGUMENTS...]

Plans a model by the keys PLAN (as --beside) without a budget, and with budgets that are PARTS of the bytes which that plan
takes on the rank that takes most. Fails unless each plan with a budget
- is inside it, on every rank;
- has no shorter step than a plan with a larger budget, but for SLACK (1: none), and no longer one than the plan without a
  budget if that fits;
- has no longer step than a plan by the keys of each BESIDE under the same budget, if there is one;
and, if it must be reproduced, unless the pipeline that it prints makes the same IR, whose proof holds.
No budget is refused above one that is kept. Prints how many are kept, and how many of these plans recompute something."""
import argparse
import re
import subprocess
import sys
import tempfile

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
BYTES = {"B": 1, "KiB": 2**10, "MiB": 2**20}


class Plans:
    def __init__(self, arguments):
        self.arguments = arguments

    def command(self, keys, *options):
        return ["plc-compile", *self.arguments, *(word for key in keys for word in ("--set", key)), *options]

    def output(self, keys, *options):
        """None if no plan fits."""
        done = subprocess.run(self.command(keys, *options), capture_output=True, text=True)
        if done.returncode not in (0, 3):
            sys.exit(f"{' '.join(self.command(keys, *options))}\nended with {done.returncode}:\n{done.stderr}")
        return done.stdout if done.returncode == 0 else None

    def model(self):
        """In phase `ein`, which has no strategy yet."""
        sets = {at + more for at, word in enumerate(self.arguments) if word == "--set" for more in (0, 1)}
        return Plans([word for at, word in enumerate(self.arguments) if at not in sets]).output([], "--emit=ein", "-o", "-")

    def figures(self, keys):
        """Step in ns, bytes of the rank that takes most, and whether something is recomputed; None if no plan fits."""
        text = self.output(keys)
        if text is None:
            return None
        step = re.search(r"^ *step with messages, waits, help and updates ([0-9.]+) (\w+)", text, re.M)
        arenas = re.findall(r"^ *arena of rank \d+ ([0-9.]+) (\w+),", text, re.M)
        recomputes = not re.search(r"^recomputation .*: 0 B saved", text, re.M)
        return float(step[1]) * UNITS[step[2]], max(float(count) * BYTES[unit] for count, unit in arenas), recomputes

    def peak(self, keys):
        return max(map(int, re.findall(r"\bplan\.layout persistent \d+ arena (\d+)", self.output(keys, "--emit=addresses", "-o", "-"))))

    def check_reproduced(self, keys, budget):
        expected, pipeline = self.output(keys, "--emit=addresses", "-o", "-"), self.output(keys, "--print-pipeline")
        most = max(map(int, re.findall(r"\bplan\.layout persistent \d+ arena (\d+)", expected)))
        if most > budget:
            sys.exit(f"{keys}: {most} bytes")
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as model:
            model.write(self.model())
            model.flush()
            made = subprocess.run(["plc-opt", model.name, "--mlir-print-local-scope", "--mlir-print-debuginfo", f"--pass-pipeline={pipeline.strip()}"],
                                  capture_output=True, text=True)
        if made.stdout != expected:
            sys.exit(f"{keys}: the printed pipeline makes another plan\n{made.stderr}")
        subprocess.run(["plc-opt", "--plan-verify", "-o", "/dev/null"], input=expected, text=True, check=True)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--parts", default="1,0.9,0.8,0.7")
    options.add_argument("--beside", action="append", default=[])
    options.add_argument("--slack", type=float, default=1)
    options.add_argument("--reproduced", action="store_true")
    options.add_argument("plan")
    chosen, rest = options.parse_known_args()
    plans, keys = Plans(rest), chosen.plan.split()
    unbound = [key for key in keys if not key.startswith("checkpoint.policy")]
    free, peak = plans.figures(unbound), plans.peak(unbound)
    last, refused, kept, recomputing = None, None, 0, 0
    for part in map(float, chosen.parts.split(",")):
        budget = int(peak * part)
        bound = [*keys, f"memory.budget={budget}B"]
        found = plans.figures(bound)
        if found is None:
            refused = budget
            continue
        step, most, recomputes = found
        # What is printed is rounded to four digits.
        if refused or most > budget + 0.05 * 2**10 * max(1, most / 2**20):
            sys.exit(f"budget {budget} of {peak}: {most} bytes; {refused} is refused")
        if last and step * chosen.slack < last or part >= 1 and step > free[0]:
            sys.exit(f"budget {budget} of {peak}: step {step} ns, {last} with the larger one, {free[0]} without")
        for beside in chosen.beside:
            other = plans.figures([*beside.split(), f"memory.budget={budget}B"])
            if other and other[0] < step:
                sys.exit(f"budget {budget} of {peak}: step {step} ns, but {other[0]} with {beside}")
        if chosen.reproduced:
            plans.check_reproduced(bound, budget)
        last, kept, recomputing = step, kept + 1, recomputing + recomputes
    print(f"{kept} budgets are kept, {recomputing} by recomputation")


if __name__ == "__main__":
    main()
