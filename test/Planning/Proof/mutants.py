"""mutants.py [COUNT [SEED]]: changes scheduled plans by chance, one thing each, and lets Inputs/oracle.py execute each one
that --plan-verify accepts. None may compute anything else than the program, or never end; and no figure may be wrong.
"""
# RUN: %python %s 400 1 | FileCheck %s
# CHECK: 400 mutants: {{[0-9]+}} refused, {{[0-9]+}} accepted, all of them right
import pathlib
import random
import re
import subprocess
import sys

here = pathlib.Path(__file__).parent.parent / "Inputs"
sys.path.insert(0, str(here))
import oracle  # noqa: E402
from plan_text import VALUE, Plan, Wrong  # noqa: E402

PASSES = ("record-numerics,plan-partition{{{0}}},plan-infer-skips,plan-schedule{{schedule={1}}},plan-remat,"
          "plan-replicate,plan-insert-comm{{max-slots={2}}},plan-addresses{{strategy={3}}}")
PLANS = [("stages=1", "1f1b", 8, "pooled"), ("stages=2", "1f1b", 8, "pooled"), ("stages=2", "gpipe", 8, "standard"),
         ("stages=3", "1f1b", 1, "pooled"), ("stages=3 rank-map=0,1,0", "1f1b", 8, "pooled"),
         ("stages=2 policy=uniform interval=2 micro-batches=except_last", "1f1b", 8, "pooled"),
         ("stages=3 policy=uniform interval=2 join-backward=false", "gpipe", 2, "pooled"),
         ("stages=2", "1f1b", 8, "pooled most-values=0"), ("stages=3 rank-map=0,1,0", "zb_h1", 8, "pooled most-values=0"),
         ("stages=2 policy=uniform interval=2 micro-batches=except_last", "1f1b", 8, "pooled most-values=0"),
         ("stages=3 policy=uniform interval=2 join-backward=false", "gpipe", 2, "standard most-values=0"),
         ("stages=2 prepare=true", "1f1b", 8, "cached"), ("stages=2 prepare=true", "1f1b", 8, "cached", "steady"),
         ("stages=2 rank-map=0,0 prepare=true", "gpipe", 8, "cached most-values=0", "steady"),
         ("stages=1", "1f1b", 8, "pooled", "lanes"), ("stages=1 replicas=2", "1f1b", 8, "pooled", "lanes"),
         ("stages=2 replicas=2", "1f1b", 8, "pooled", "lanes"), ("stages=2 rank-map=0,0 replicas=4", "gpipe", 8, "standard", "lanes"),
         ("stages=2 replicas=2", "zb_h1", 1, "pooled most-values=0", "lanes"),
         ("stages=2 replicas=2 policy=uniform interval=2", "1f1b", 8, "pooled most-values=0", "lanes")]
# Programs that others are made into.
MADE = {"lanes": ("chain", "batch = 64 : i64, micro_batches = 4", "batch = 128 : i64, accumulation_groups = 4 : i64, micro_batches = 8")}
VERIFY = ["plc-opt", "--plan-verify", "--split-input-file"]
SPLIT = "// -----"


def run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8")
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} ends with {done.returncode}\n{done.stderr[-3000:]}")
    return done


def model_text(name):
    source, old, new = MADE.get(name, (name, "", ""))
    text = (here / f"{source}.mlir").read_text()
    assert old in text, "what is made into another program"
    return text.replace(old, new, 1) if old else text


def plans():
    references = {}
    for *choice, model in (each if len(each) == 5 else (*each, "chain") for each in PLANS):
        passes = f"--pass-pipeline=builtin.module({PASSES.format(*choice)})"
        text = run(["plc-opt", passes], model_text(model)).stdout
        program = Plan(text)
        reference = references.setdefault(model, oracle.expected(program))
        oracle.check(program, reference)  # by the dataflow of the first plan, on one rank
        yield text, reference


class Mutation:
    """One change of a text by a generator of random numbers; returns None where there is nothing to change."""

    def __init__(self, text, chance):
        self.lines, self.chance = text.splitlines(), chance

    def places(self, pattern):
        return [i for i, line in enumerate(self.lines) if re.search(pattern, line)]

    def pick(self, pattern):
        found = self.places(pattern)
        return self.chance.choice(found) if found else None

    def mutate(self):
        kinds = [(self.number, 6), (self.move, 4), (self.swap, 3), (self.remove, 1), (self.double, 1),
                 (self.operand, 3), (self.word, 1), (self.figure, 1), (self.exchange, 2)]
        change = self.chance.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]
        return change() and "\n".join(self.lines)

    actions = r"plan\.(run|post_recv|wait_recv|send|wait_send|drop|step)\b"

    def number(self):
        """A number of an action, a channel or a layout becomes another one."""
        at = self.pick(self.actions.replace("step", "buffer|frame|channel|layout|site|stage"))
        numbers = list(re.finditer(r"(?<![\w.@%#\"])-?\d+\b", self.lines[at]))
        if not numbers:
            return False
        found = self.chance.choice(numbers)
        old = int(found.group())
        alike = re.findall(r"\b\d+\b", self.lines[self.pick(re.escape(self.lines[at].split()[0]))])
        new = self.chance.choice([old + 64, old - 64, old + 1, old - 1, 0, int(self.chance.choice(alike or ["1"]))])
        return self.put(at, found, str(new)) if new != old else False

    def put(self, at, found, text):
        line = self.lines[at]
        self.lines[at] = line[:found.start()] + text + line[found.end():]
        return True

    def move(self):
        """An action goes to another place of any rank, mostly a near one."""
        where = self.places(self.actions)
        at = self.chance.randrange(len(where))
        far = self.chance.random() < 0.3
        to = self.chance.randrange(len(where)) if far else at + self.chance.choice([-3, -2, -1, 1, 2, 3])
        if not 0 <= to < len(where) or to == at:
            return False
        self.lines.insert(where[to], self.lines.pop(where[at]))
        return True

    def swap(self):
        """Two addresses of a run change places, or those of two actions."""
        at = self.pick(r"(at|slots) \[\d+, ")
        base = self.lines[at].index("[") + 1
        numbers = list(re.finditer(r"\d+", self.lines[at][base:]))
        if self.chance.random() < 0.5 and len(numbers) > 1:
            values = [each.group() for each in numbers]
            one, other = self.chance.sample(range(len(values)), 2)
            values[one], values[other] = values[other], values[one]
            self.lines[at] = self.lines[at][:base] + ", ".join(values) + "]"
            return True
        one, other = self.pick(r"(?<= at )\d+"), self.pick(r"(?<= at )\d+")
        a, b = (re.search(r"(?<= at )\d+", self.lines[each]) for each in (one, other))
        return a.group() != b.group() and self.put(one, a, b.group()) and self.put(other, b, a.group())

    def remove(self):
        del self.lines[self.pick(self.actions + r"|plan\.(buffer|frame|call|stash|pop|site|channel|route|checkpoint)\b")]
        return True

    def double(self):
        at = self.pick(self.actions + r"|plan\.(buffer|frame|stash|channel)\b|plan\.call .*-> \(\)")
        self.lines.insert(self.chance.choice([at, self.pick(self.actions)]), self.lines[at])
        return True

    def operand(self):
        """A value is another one of its stage."""
        at = self.pick(r"plan\.(call|stash|output|yield %)")
        here = list(re.finditer(VALUE, self.lines[at].split(" = ")[-1]))
        if not here:
            return False
        start = self.lines[at].index(" = ") + 3 if " = " in self.lines[at] else 0
        found = self.chance.choice(here)
        near = range(max(0, at - 12), min(len(self.lines), at + 6))
        others = [name for i in near for name in re.findall(VALUE, self.lines[i]) if name != found.group()]
        line = self.lines[at]
        self.lines[at] = line[:start + found.start()] + self.chance.choice(others) + line[start + found.end():]
        return True

    def word(self):
        """An owner, a run that keeps, a role, the route of a channel or of an end, a clone's original."""
        pattern, new = self.chance.choice([
            (r" owned", ""), (r"(?<=mb \d) (?=at)", " keep "), (r" keep ", " "), (r"(?<=  )[FBWP](?= )", "FBWP"),
            (r"@r\d", "@r0 @r1 @r2 @r3 @r4 @r5"), (r"@c\d", "@c0 @c1 @c2 @c3"),
            (r"(?<=recompute <)\d", "0 1 2"), (r"@(mul|grad)(?=\()", "@mul @grad")])
        at = self.pick(pattern)
        if at is None:
            return False
        choices = new.split() if " " in new.strip() else list(new) if new == "FBWP" else [new]
        found = re.search(pattern, self.lines[at])
        return self.put(at, found, self.chance.choice(choices))

    def exchange(self):
        """Two lines of the same operation change places."""
        one = self.pick(self.actions + r"|plan\.(channel|buffer|frame|route|call|site)\b")
        other = self.pick(re.escape(re.search(r"plan\.\w+", self.lines[one]).group()) + r"\b")
        self.lines[one], self.lines[other] = self.lines[other], self.lines[one]
        return one != other

    figures = r"(cut_bound_ns|cut_ns|step_bound_ns|step_ns|recompute_ns|kept_bytes|[{ ,]ns|arena|bound) (= )?(?=\d)"

    def figure(self):
        """What a plan says of itself becomes something else."""
        at = self.pick(r"plan\.(program|stage|layout)\b.*\d")
        found = self.chance.choice(list(re.finditer(self.figures + r"(\d+)", self.lines[at])) or [None])
        if not found:
            return False
        new = max(0, int(found.group(3)) + self.chance.choice([-64, -1, 1, 64, 1000]))
        return new != int(found.group(3)) and self.put(at, found, found.group()[:-len(found.group(3))] + str(new))


def lied(text, result, original):
    """Whether a figure is not the original's though nothing else is another."""
    changed = {old.split()[0] for old, new in zip(text.splitlines(), original.splitlines()) if old != new}
    figures = [re.findall(Mutation.figures + r"(\d+)", each) for each in (result, original)]
    return figures[0] != figures[1] and changed <= {"plan.program", "plan.stage", "plan.layout"}


def judge(mutants):
    """How many of (text, plan's text, reference) are accepted."""
    results = run(VERIFY, f"\n{SPLIT}\n".join(text for text, _, _ in mutants)).stdout.split(SPLIT)
    assert len(results) == len(mutants), "a result for each mutant"
    accepted = 0
    for (text, original, reference), result in zip(mutants, results):
        if "plan.program" not in result:
            continue
        accepted += 1
        try:
            oracle.check(Plan(result), reference, seed=accepted)
        except (Wrong, KeyError, TypeError) as error:
            diff = [new for old, new in zip(original.splitlines(), text.splitlines()) if old != new]
            sys.exit(f"accepted but wrong: {error!r}\n" + "\n".join(diff[:4]) + f"\n{text}")
        if lied(text, result, original):
            sys.exit(f"accepted with a wrong figure:\n{text}")
    return accepted


def main():
    count, seed = int(sys.argv[1]) if len(sys.argv) > 1 else 300, int(sys.argv[2]) if len(sys.argv) > 2 else 1
    chance, originals = random.Random(seed), list(plans())
    accepted, mutants, made = 0, [], 0
    while made < count:
        original, reference = chance.choice(originals)
        text = Mutation(original, chance).mutate()
        if not text or text == original.rstrip("\n"):
            continue
        made += 1
        mutants.append((text, original, reference))
        if len(mutants) == 50 or made == count:
            accepted += judge(mutants)
            mutants = []
    print(f"{count} mutants: {count - accepted} refused, {accepted} accepted, all of them right")


if __name__ == "__main__":
    main()
