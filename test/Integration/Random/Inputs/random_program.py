"""random_program.py SEED: prints a random .ein program, always the same for the same seed.

Layers over random extents (1, odd ones, more than 256 summed) with products of one to three tensors, diagonals,
broadcasts, axes split and merged on both sides, windows and strides between padding and on left sides, reductions, logic, draws,
positions of extremes, values added (or joined by maxima and products) at computed positions, reads that conditions guard,
bits of integers, matrices and rows that tokens choose, branches, infinite values in those not taken, gathers,
functions, norms; integers as positions, rules and results, truth values as inputs and rules; tied and frozen parameters,
repeated layers, elements collected over turns; narrow inputs, tokens, frozen parameters and, where no gradient is compared
with differences, narrow results and rules. The loss is a mean over the batch, in part a masked one. Values stay near 1. A program is *smooth* unless its comment says otherwise: what is compared or
clipped is an input, a parameter, an index, or has a sign that no small change of a parameter iterations."""
import random
import sys

from random_expressions import Expressions
from random_integers import LETTERS, Value
from random_losses import Losses
from random_rules import Rules
from random_turns import Turns

FUNCTIONS = """\
fn bump(x) -> y { y = exp(-x * x) }
fn log_of(x) -> y { y = log(1 + x * x) }
fn sqrt_of(x) -> y { y = sqrt(1 + x * x) }
fn rsqrt_of(x) -> y { y = x * rsqrt(0.5 + x * x) }
fn log1p_of(x) -> y { y = log1p(x * x) }
fn expm1_of(x) -> y { y = expm1(tanh(x)) }
fn tan_of(x) -> y { y = tan(tanh(x)) }
fn pow_of(x) -> y { y = pow(0.5 + x * x, 0.3 * tanh(x)) }
fn exp_of(x) -> y { y = exp(tanh(x)) }
fn scaled(x; by = 0.75) -> y { y = by * x }
fn centred(x[..., i]) -> y[..., i] { y[..., i] = x[..., i] - mean[j](x[..., j]) }
fn weighed(x[..., i], g[i]; PLAIN = 0) -> y[...] {
  scale[k: size(i)] = if PLAIN == 1 then 1 else 1 + k / size(k)
  y[...] = x[..., i] * g[i] * scale[i] / sqrt(size(i))
}
fn log_sum(x[..., i]) -> y[...] {
  m[...] = stop(max[i](x[..., i]))
  y[...] = log(sum[i](exp(x[..., i] - m[...]))) + m[...]
}
"""


class Program(Losses, Turns, Rules, Expressions):
    def __init__(self, seed, narrow=True):
        self.random = random.Random(seed)
        self.narrow = random.Random(f"narrow types of {seed}")  # of their own, so that they change nothing else
        self.hasNarrow = narrow
        # Forms that came later are in seeds from 4000 on, so that the programs of older seeds stay what they were.
        self.later = random.Random(f"later forms of {seed}") if seed >= 4000 else None
        self.heldAs = {}  # what results hold their numbers as, where it is no real
        self.rough = self.random.random() < 0.25
        self.layers, self.names = [], 0
        self.learnt = set()  # names of truth values that depend on parameters: no batch's sum of them may divide
        self.chooseSizes()
        self.chooseInputs()
        self.calls, self.body, self.owners = 0, [], []
        self.pool = list(self.inputs)
        self.buildModel()

    def chooseSizes(self):
        batch = self.pick({1: 1, 2: 2, 3: 2, 4: 6, 8: 5, 12: 2, 20: 1})
        small = {1: 3, 2: 3, 3: 5, 4: 3, 5: 4, 6: 2, 7: 3, 8: 3, 9: 2, 11: 1, 13: 2, 16: 2, 17: 3, 19: 1, 31: 1, 33: 2, 48: 1}
        self.dims = {"B": batch, "V": self.random.randint(2, 9)}
        for i in range(self.random.randint(2, 4)):
            self.dims[f"D{i}"] = self.pick(small)
        if self.flip(0.35):
            self.dims["K"] = self.pick({257: 2, 260: 1, 300: 1, 512: 1, 513: 1})
        if self.flip(0.3):
            self.dims["N"] = self.random.randint(34, 140)
        self.splits = {}  # a dim, and those whose product it is, slowest first
        if self.flip(0.75):
            self.dims["P"] = self.pick({1: 1, 2: 4, 3: 3, 4: 1})
            self.dims["Q"] = self.dims["D0"] * self.dims["P"]
            self.splits["Q"] = ("D0", "P")
        if self.splits and self.flip(0.4) and self.dims["Q"] * self.dims["D1"] < 200:
            self.dims["R"] = self.dims["Q"] * self.dims["D1"]
            self.splits["R"] = ("D1", "D0", "P")
        self.micro_batches = self.random.choice([m for m in (1, 2, 3, 4) if m <= batch])

    def someAxes(self, most, limit, first=()):
        """Axes for a tensor of at most `limit` elements."""
        axes = tuple(first)
        for _ in range(self.random.randint(0 if first else 1, most)):
            axis = self.random.choice([name for name in self.dims if name != "B"])
            if self.extent(axes + (axis,)) <= limit:
                axes += (axis,)
        return axes

    def nameLeft(self, axes):
        """Begins a rule whose left side has these axes: its letters, with the axis of each."""
        self.taken, letters = set(), {}
        for axis in axes:
            letter = "b" if axis == "B" else next(l for l in LETTERS if l not in self.taken)
            self.taken.add(letter)
            letters[letter] = axis
        self.left = set(letters)
        return letters

    def chooseInputs(self):
        self.inputs, self.indices, self.masks = [], [], []
        for i in range(self.random.randint(1, 2)):
            self.inputs.append(Value(f"x{i}", self.someAxes(2, 3000, ("B",)), False, "input"))
        for i in range(self.pick({0: 3, 1: 4, 2: 2})):
            self.indices.append(Value(f"t{i}", self.someAxes(1, 300, ("B",)), False, "index"))
        for i in range(self.pick({0: 2, 1: 1})):
            self.masks.append(Value(f"m{i}", self.someAxes(1, 300, ("B",)), False, "mask"))
        self.tokens, self.known_masks = list(self.indices), list(self.masks)  # those that layers give too

    # Layers and the model.

    def enter(self, scope, indices, masks, parameters):
        self.scope, self.scope_indices, self.parameters, self.statements = scope, indices, parameters, []
        self.scope_masks = masks

    def buildLayer(self, arguments, repeated):
        """A layer over these arguments; returns its name and results' axes."""
        name = self.name("layer")
        formals = [Value(self.name("a"), v.axes, v.trained, "input" if v.origin == "input" else "value") for v in arguments]
        tokens = [t for t in self.tokens if self.flip(0.6)] + [m for m in self.known_masks if self.flip(0.7)]
        indices = [Value(self.name("t"), t.axes, False, t.origin) for t in tokens]
        self.learnt |= {formal.name for formal, given in zip(indices, tokens) if given.name in self.learnt}
        if repeated:  # from the second turn on, the argument is computed
            formals[0].origin, formals[0].trained = "value", True
        self.enter(list(formals), [t for t in indices if t.origin == "index"], [t for t in indices if t.origin == "mask"], [])
        shares = self.shareParameters()
        for _ in range(self.random.randint(1, 4)):
            if self.flip(0.25):
                self.integerRule()
            if self.flip(0.12):
                self.extremeRule()
            if self.flip(0.15):
                self.scatterRule()
            if self.flip(0.25):
                self.chosenRule()
            if self.flip(0.15):
                self.untakenRule()
            if self.flip(0.12):
                self.collectedRule()
            if self.flip(0.25):
                self.windowRule()
            if self.flip(0.2):
                self.leftRule()
            if self.flip(0.3):
                self.wholeRule()
            else:
                name_, axes = self.name("v"), self.layerAxes()
                if self.rough and (type_ := self.narrowReal(0.2)):
                    self.statements.append(f"{name_}{type_}[{', '.join(axes)}]")
                self.rule(name_, axes)
        results = []
        for _ in range(1 if repeated else self.pick({1: 4, 2: 1})):
            first = formals[0]
            same = repeated or self.flip(0.4)
            axes = first.axes if same else self.someAxes(2, 2000, ("B",))
            results.append(self.result(self.name("y"), axes, first.name if same else None))
        made = [v for v in self.scope_indices + self.scope_masks if v not in indices and v.axes[0] == "B"]
        if made and not repeated and self.flip(0.5):
            results.append(self.random.choice(made))
        header = ", ".join([f"{v.name}[{', '.join(v.axes)}]" for v in formals] +
                           [self.typed(v) for v in indices])
        rounds = self.rough and not repeated
        self.heldAs |= {v.name: self.narrowReal(0.2 if rounds and v.origin == "value" else 0) for v in results}
        out = ", ".join(self.typed(v, self.heldAs[v.name]) for v in results)
        lines = [f"layer {name}({header}) -> {out} {{"] + [f"  {line}" for line in shares]
        for value in self.parameters:
            lines.append("  " + self.parameterLine(value))
        self.layers.append("\n".join(lines + [f"  {line}" for line in self.statements] + ["}"]))
        self.owners_new = [(f"{name}", value) for value in self.parameters]
        return name, [v.name for v in tokens], results

    def typed(self, value, narrow=""):
        type_ = narrow or {"index": ": i32", "mask": ": bool"}.get(value.origin, "")
        return f"{value.name}{type_}[{', '.join(value.axes)}]"

    def narrowReal(self, chance):
        """A type that only holds reals, or none."""
        return self.narrow.choice([": f16", ": bf16"]) if self.isNarrow(chance) else ""

    def isNarrow(self, chance):
        return self.hasNarrow and self.narrow.random() < chance

    def layerAxes(self):
        axes = list(self.someAxes(3, 2500, ("B",) if self.flip(0.85) else ()))
        if self.flip(0.3):
            self.random.shuffle(axes)
        return tuple(axes)

    def parameterLine(self, value):
        shape = f"[{', '.join(value.axes)}]" if value.axes else ""
        trained = value is self.parameters[0] and not self.owners
        start = "~ normal(0.5)" if trained else self.pick({"~ normal(0.5)": 5, "~ uniform(-1, 1)": 2, f"= {self.number()}": 1, "~ normal(0.8) frozen": 1})
        type_ = self.narrowReal(0.5 if "frozen" in start else 0)
        return f"param {value.name}{type_}{shape} {start}"

    def shareParameters(self):
        lines = []
        if self.owners and self.flip(0.5):
            for path, value in self.random.sample(self.owners, min(len(self.owners), self.random.randint(1, 2))):
                name = self.name("s")
                lines.append(f"share {name} = {path}.{value.name}")
                self.scope.append(Value(name, value.axes, True, "parameter"))
        return lines

    def buildModel(self):
        made = []
        for _ in range(self.pick({1: 1, 2: 3, 3: 4, 4: 2})):
            count = self.pick({1: 3, 2: 2})
            arguments = [self.random.choice(self.pool[-2:])] + [self.random.choice(self.pool) for _ in range(count - 1)]
            turns = self.pick({1: 6, 2: 2, 3: 1})
            name, tokens, given = self.buildLayer(arguments, turns > 1)
            axes = [v.axes for v in given]
            names = [v.name for v in arguments] + tokens
            if turns > 1:
                result = self.name("z")
                self.body.append(f"{result} = {names[0]}")
                inner = ", ".join([result] + names[1:])
                self.body.append(f"repeat {turns} {{ {result} = {name}({inner}) }}")
                self.owners += [(f"{name}.{self.random.randrange(turns)}", v) for _, v in self.owners_new]
                results = [Value(result, axes[0], True, "value")]
            else:
                results = [Value(self.name("z"), v.axes, v.origin not in ("index", "mask"),
                                 v.origin if v.origin in ("index", "mask") else "value") for v in given]
                self.heldAs |= {result.name: self.heldAs[v.name] for result, v in zip(results, given)}
                self.learnt |= {result.name for result, v in zip(results, given) if v.name in self.learnt}
                prefix = self.name("in") if self.flip(0.2) else ""
                self.body.append(f"{', '.join(v.name for v in results)} = {name}({', '.join(names)})" + (f" in {prefix}" if prefix else ""))
                self.owners += [(f"{prefix}.{name}" if prefix else name, v) for _, v in self.owners_new]
            self.calls += turns
            self.tokens += [v for v in results if v.origin == "index"]
            self.known_masks += [v for v in results if v.origin == "mask"]
            self.pool += [v for v in results if v.origin == "value"]
            if turns == 1 and not repeatedNeeded(axes, arguments) and self.flip(0.25):
                again = Value(self.name("z"), axes[0], True, "value")
                self.heldAs[again.name] = self.heldAs[results[0].name]
                others = ", ".join(names[1:])
                self.body.append(f"{again.name} = {name}({results[0].name}{', ' + others if others else ''}) in {self.name('in')}")
                self.pool.append(again)
                self.calls += 1
            if self.flip(0.25):
                self.looseRule()
        self.buildLoss()

    def looseRule(self):
        self.enter(list(self.pool), list(self.tokens), list(self.known_masks), None)
        value = self.result(self.name("z"), self.someAxes(2, 2000, ("B",)))
        self.body += self.statements
        self.pool.append(value)

    def text(self):
        tokens = [self.typed(v, ": i8" if self.isNarrow(0.2) else "") for v in self.indices]  # V is small
        header = ", ".join([self.typed(v, self.narrowReal(0.2)) for v in self.inputs] + tokens + [self.typed(v) for v in self.masks])
        output = self.pool[-1]
        outputs = f"loss, {self.typed(output, self.heldAs.get(output.name, ''))}" if output.origin != "input" else "loss"
        lines = ["# " + ("rough: gradients are no limits of differences" if self.rough else "smooth"), "use std.nn",
                 "dim " + ", ".join(f"{name} = {extent}" for name, extent in self.dims.items()), "batch B", FUNCTIONS.rstrip()]
        return "\n".join(lines + self.layers + [f"model m({header}) -> {outputs} {{"] +
                         [f"  {line}" for line in self.body] + ["}", ""])


def repeatedNeeded(axes, arguments):
    """Whether a layer's result cannot be its own first argument."""
    return len(axes) > 1 or axes[0] != arguments[0].axes or arguments[0].origin == "input"


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    print(Program(int(sys.argv[1])).text(), end="")
