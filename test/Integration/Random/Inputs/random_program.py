"""random_program.py SEED: prints a random .ein program, always the same for the same seed.

Layers over random extents (1, odd ones, more than 256 summed) with products of one to three tensors, diagonals,
broadcasts, axes split and merged on both sides, windows and strides between padding and on left sides, reductions, logic, draws,
positions of extremes, values added (or joined by maxima and products) at computed positions, reads that conditions guard,
bits of integers, matrices and rows that tokens choose, branches, infinite values in those not taken, gathers,
functions, norms; integers as positions, rules and results, truth values as inputs and rules; tied and frozen parameters,
repeated layers, elements collected over turns; narrow inputs, tokens, frozen parameters and, where no gradient is compared
with differences, narrow results and rules. The loss is a mean over the batch, in part a masked one. Values stay near 1. A program is *smooth* unless its comment says otherwise: what is compared or
clipped is an input, a parameter, an index, or has a sign that no small change of a parameter iterations."""
import math
import random
import re
import sys

from random_expressions import Expr, Expressions
from random_integers import LETTERS, Value
from random_losses import Losses
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


class Program(Losses, Turns, Expressions):
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

    # Rules.

    def result(self, name, axes, residual=None):
        """A rule of what no other rule has read, and one that keeps it near 1."""
        text = " ".join(self.statements)
        unread = [v for v in self.scope if v.origin == "value" and len(re.findall(rf"\b{v.name}\b", text)) == 1]
        raw = self.rule(self.name("h"), axes, unread=unread[-3:])
        bounded = f"{self.random.choice(['tanh', 'rsqrt_of', 'erf'])}({raw.name})"
        if self.parameters == [] and not self.owners:  # something is trained
            bounded = f"{self.freshParameter({}).text} * {bounded}"
        self.statements.append(f"{name} = " + (f"{residual} + {bounded}" if residual else bounded))
        value = Value(name, axes, True, "value")
        self.scope.append(value)
        return value

    def rule(self, name, axes, unread=()):
        """`name[..] = ..`, of one to three summands."""
        self.taken = set()
        letters = {}
        entries = []  # letters of each axis
        for axis in axes:
            merges = axis in self.splits and self.parameters is not None and self.flip(0.5)
            entries.append([])
            for dim in self.splits[axis] if merges else (axis,):
                letter = "b" if axis == "B" else next(l for l in LETTERS if l not in self.taken)
                self.taken.add(letter)
                letters[letter] = dim
                entries[-1].append(letter)
        self.left = set(letters)
        summands = [self.averaged(value, letters) for value in unread if "B" in axes or "B" not in value.axes]
        for _ in range(self.pick({1: 5, 2: 3, 3: 1})):
            kind = self.pick({"product": 5, "elementwise": 5, "gathered": 1})
            if kind == "product":
                summands.append(self.product(letters))
            elif kind == "elementwise":
                summands.append(self.elementwise(letters, self.random.randint(1, 3)))
            else:
                summands.append(self.attended(letters) or self.product(letters))
        if "b" in letters and not any("b" in s.used for s in summands):
            summands[0] = self.sampled(summands[0], letters)
        total = sum(s.size for s in summands)
        if total > 1.5:
            summands = [Expr(f"{1 / total:.2g} * {s.at(1)}", 1, 1, s.used, s.trained) if s.size > 1 or len(summands) > 2 else s
                        for s in summands]
        used = frozenset().union(*(s.used for s in summands))
        for slowest in [entry[0] for entry in entries if len(entry) > 1 and entry[0] not in used]:
            summands[0] = self.join(f"{summands[0].at(1)} * {self.freshParameter(letters, slowest).text}", 1, summands[0])
        brackets = ", ".join(self.affine([(l, letters[l]) for l in entry]) if len(entry) > 1 else
                             entry[0] if entry[0] in used else f"{entry[0]}: {letters[entry[0]]}" for entry in entries)
        text = " + ".join(s.at(1) for s in summands)
        self.statements.append(f"{name}[{brackets}] = {text}" if axes else f"{name} = {text}")
        value = Value(name, tuple(axes), any(s.trained for s in summands), "value")
        self.scope.append(value)
        return value

    def integerRule(self):
        """A rule of integers, positions in V, or of truth values; later rules read it."""
        axes = self.someAxes(2, 300, ("B",)) if self.flip(0.7) else self.someAxes(1, 50)
        letters = self.nameLeft(axes)
        truth = self.flip(0.4)
        plain = {letter: axis for letter, axis in letters.items() if axis != "B"}
        a = self.condition(letters) if truth else self.integer(plain, 2, self.tokensOver(letters), letters)
        if "b" in letters and "b" not in a.used or truth and not a.used:
            return
        if not truth and not a.used | a.numbers:
            return
        name = self.name("k" if not truth else "m")
        brackets = ", ".join(l if l in a.used else f"{l}: {letters[l]}" for l in letters)
        if truth:
            self.statements.append(f"{name}[{brackets}] = {a.text}")
            self.scope_masks.append(Value(name, tuple(axes), False, "mask"))
            if a.trained or any(re.search(rf"\b{learnt}\b", a.text) for learnt in self.learnt):
                self.learnt.add(name)
        else:
            self.statements.append(f"{name}[{brackets}] = {a.at(0)} % V")
            self.scope_indices.append(Value(name, tuple(axes), False, "index"))

    def scatterRule(self):
        """Values that are added at the positions that tokens hold."""
        tokens = [t for t in self.scope_indices if "B" in t.axes]
        if not tokens:
            return
        t = self.random.choice(tokens)
        extra = self.someAxes(1, 40)[:self.random.randrange(2)]
        if self.extent(t.axes + extra + ("V",)) > 3000:
            return
        letters = self.nameLeft(t.axes + extra)
        name, own = self.name("v"), list(letters)[:len(t.axes)]
        e = self.elementwise(letters, 1)
        axes = ("B", "V") + extra
        left = ["b", f"{t.name}[{', '.join(own)}]"] + list(letters)[len(own):]
        join = self.later.choice(["max=", "min=", "mul="] if self.rough or not e.trained else ["mul="]) if self.isLater(0.6) else "="
        self.statements += [f"{name}: [{', '.join(axes)}]", f"{name}[{', '.join(left)}] {join} {e.at(1)} / {round(e.size + 1)}"]
        if self.flip(0.3):
            self.statements.append(f"{name}[{', '.join(left)}] {'+=' if join == '=' else join} {self.number()}")
        if join in ("max=", "min="):  # infinite where no token is
            whole = ", ".join(["b", "v", *list(letters)[len(own):]])
            self.statements.append(f"{name}f[{whole}] = if abs({name}[{whole}]) < inf then {name}[{whole}] else 0.5")
            name += "f"
        self.scope.append(Value(name, axes, e.trained, "value"))

    def chosenRule(self):
        """Matrices, or rows, of a table that tokens choose, times values: alone, or added up over what counts the tokens."""
        tokens = [t for t in self.scope_indices if "B" in t.axes]
        values = [v for v in self.scope if v.origin in ("input", "value") and len(v.axes) == 2 and v.axes[0] == "B"]
        if not tokens or not values:
            return
        t, x = self.random.choice(tokens), self.random.choice(values)
        summed, out = x.axes[1], self.random.choice([d for d in self.dims if d not in ("B", "K")])
        if self.extent(("V", summed, out)) > 3000 or self.extent(t.axes + (summed, out)) > 6000:
            return
        added, rows = self.flip(0.5), self.flip(0.3)
        kept = tuple(a for a in t.axes if a == "B") if added else t.axes
        letters = self.nameLeft(kept + (out,))
        names = list(letters)
        at = [names.pop(0) if axis == "B" or not added else next(l for l in LETTERS if l not in self.taken and not self.taken.add(l))
              for axis in t.axes]
        over = next(l for l in LETTERS if l not in self.taken)
        position = f"{t.name}[{', '.join(at)}]"
        if rows:
            chosen, text = self.parameter(("V", out)), f"[{position}, {names[-1]}]"
        else:
            chosen, text = self.parameter(("V", summed, out)), f"[{position}, {over}, {names[-1]}]"
        count = self.extent((summed,) + (tuple(a for a in t.axes if a != "B") if added else ()))
        name = self.name("v")
        self.statements.append(f"{name}[{', '.join(letters)}] = {x.name}[b, {over}] * {chosen}{text} / {max(1, count) ** 0.5:.3g}")
        self.scope.append(Value(name, kept + (out,), True, "value"))

    def extremeRule(self):
        """Positions of extremes of an input, in V."""
        inputs = [v for v in self.scope if v.origin == "input" and len(v.axes) > 1 and v.axes[0] == "B"]
        if not inputs:
            return
        x = self.random.choice(inputs)
        at = self.random.randrange(1, len(x.axes))
        axes = x.axes[:at] + x.axes[at + 1:]
        brought = self.random.choice([d for d in self.dims if d != "B" and self.dims[d] <= self.dims[x.axes[at]]] + [None])
        letters = self.nameLeft(axes + ((brought,) if brought else ()))
        entries = list(letters)[:len(axes)]
        over = next(l for l in LETTERS if l not in self.taken)
        read = f"{x.name}[{', '.join(entries[:at] + [over] + entries[at:])}]"
        name = self.name("k")
        text = f"topk[{over}, {list(letters)[-1]}: {brought}]" if brought else f"{self.random.choice(['argmax', 'argmin'])}[{over}]"
        self.statements.append(f"{name}[{', '.join(letters)}] = {text}({read}) % V")
        self.scope_indices.append(Value(name, tuple(letters.values()), False, "index"))

    def wholeRule(self):
        """A rule of whole tensors: norms, bare sums, functions."""
        values = [v for v in self.scope if v.axes and v.axes[-1] != "B" and v.origin != "parameter"]
        if not values:
            return
        x = self.random.choice(values)
        name, last = self.name("v"), x.axes[-1]
        if self.parameters is None:
            kind = self.random.choice(["softmax", "log_sum", "gelu", "bare"])
        else:
            kind = self.random.choice(["layer_norm", "rms_norm", "linear", "softmax", "weighed", "log_sum", "gelu", "bare"])
        axes = x.axes
        if kind in ("layer_norm", "rms_norm", "weighed"):
            given = [self.parameter((last,)) for _ in range(2 if kind == "layer_norm" else 1)]
            text = f"{kind}({x.name}, {', '.join(given)}" + ("; eps = 0.01)" if kind != "weighed" else self.random.choice([")", "; PLAIN = 1)"]))
        elif kind == "linear":
            out = self.random.choice([d for d in self.dims if d not in ("B", "K")])
            text = f"0.5 * linear({x.name}, {self.parameter((last, out))}, {self.parameter((out,))})"
            text, axes = text[6:] if self.dims[last] < 4 else f"linear({x.name}, {self.parameter((last, out))}, {self.parameter((out,))})", axes[:-1] + (out,)
        elif kind == "bare":
            same = [v for v in self.scope if v.axes == x.axes]
            text = f"0.5 * {x.name} - {self.random.choice(same).name} * {self.random.choice(same).name}"
        else:
            text = f"{kind}({x.name})"
        if kind in ("weighed", "log_sum"):
            axes = axes[:-1]
        if kind == "linear" and self.dims[last] > 3:
            self.statements.append(f"{name} = {text}")
            self.scope.append(Value(name, axes, True, "hidden"))
            hidden, name = name, self.name("v")
            text = f"tanh({hidden})"
            self.scope.pop()
        self.statements.append(f"{name} = {text}")
        self.scope.append(Value(name, axes, True, "value"))

    def windowRule(self):
        """Windows, parts and strides of an axis, also backward, between numbers where they fall outside."""
        values = [v for v in self.scope if v.origin in ("input", "value") and len(v.axes) > 1 and v.axes.count("B") == 1]
        if not values or self.parameters is None:
            return
        x = self.random.choice(values)
        at = self.random.choice([i for i, axis in enumerate(x.axes) if axis != "B"])
        rest = self.extent([axis for i, axis in enumerate(x.axes) if i != at])
        moves = [d for d in self.dims if d != "B" and self.dims[d] * rest <= 2500]
        inside = self.random.choice([None] + [d for d in self.dims if d != "B" and self.dims[d] <= 5] * 2)
        if not moves:
            return
        move, stride, step = self.random.choice(moves), self.pick({1: 5, 2: 3, 3: 1, -1: 1}), self.pick({1: 5, 2: 2, -1: 1})
        ends = [stride * (self.dims[move] - 1), step * (self.dims[inside] - 1) if inside else 0]
        least, most, extent = sum(min(0, e) for e in ends), sum(max(0, e) for e in ends), self.dims[x.axes[at]]
        pads = most - least >= extent or self.flip(0.4)
        offset = -least + (-self.random.randint(0, 3) if pads else self.random.randint(0, extent - 1 - most + least))
        axes = tuple(move if i == at else axis for i, axis in enumerate(x.axes))
        letters = self.nameLeft(axes)
        names, window = list(letters), next(l for l in LETTERS if l not in letters)
        position = f"{stride} * {names[at]}" if stride != 1 else names[at]
        if inside:
            position += f" + {window}" if step == 1 else f" + {step} * {window}" if step > 0 else f" - {window}"
        position += f" + {offset}" if offset > 0 else f" - {-offset}" if offset else ""
        if position == names[at]:  # alone it would be the whole axis
            position = "0 + " + position
        entries = [position if i == at else name for i, name in enumerate(names)]
        read = f"{x.name}[{', '.join(entries)}]"
        if pads:
            read = f"pad({read}{self.random.choice(['', ', 0.5', ', -1'])})"
        brackets = ", ".join(f"{name}: {move}" if i == at else name for i, name in enumerate(names))
        if inside and self.rough and self.flip(0.5):
            text = f"max[{window}: {inside}]({read})"
        elif inside:
            kept = self.random.choice([None] + [n for n, axis in letters.items() if axis != "B"])
            more = [letters[kept]] if kept else []
            weights = f"{self.parameter((inside, *more))}[{', '.join([window] + [kept] * bool(kept))}]"
            text = f"{read} * {weights} / {self.dims[inside] ** 0.5:.3g}"
        else:
            text = f"{self.number()} * {read}"
        name = self.name("v")
        self.statements.append(f"{name}[{brackets}] = {text}")
        self.scope.append(Value(name, axes, True, "value"))

    def leftRule(self):
        """Values at strides, offsets and windows of a left side: what falls on one element is added, other elements are 0."""
        values = [v for v in self.scope if v.origin in ("input", "value") and len(v.axes) > 1 and v.axes.count("B") == 1]
        if not values or self.parameters is None:
            return
        x = self.random.choice(values)
        at = self.random.choice([i for i, axis in enumerate(x.axes) if axis != "B"])
        inside = self.random.choice([None] + [d for d in self.dims if d != "B" and self.dims[d] <= 5])
        stride, step = self.pick({1: 4, 2: 3, 3: 1, -1: 1}), self.pick({1: 5, 2: 2, -1: 1})
        ends = [stride * (self.dims[x.axes[at]] - 1), step * (self.dims[inside] - 1) if inside else 0]
        least, most = sum(min(0, e) for e in ends), sum(max(0, e) for e in ends)
        rest = self.extent([axis for i, axis in enumerate(x.axes) if i != at])
        wide = [d for d in self.dims if d != "B" and self.dims[d] > most - least and self.dims[d] * rest <= 2500]
        if not wide:
            return
        axis = self.random.choice(wide)
        axes = tuple(axis if i == at else a for i, a in enumerate(x.axes))
        names = list(self.nameLeft(x.axes))
        window = next(l for l in LETTERS if l not in names)
        name = self.name("v")
        self.statements.append(f"{name}: [{', '.join(axes)}]")
        for clause in range(1 + self.flip(0.4)):
            offset = -least + self.random.randint(0, self.dims[axis] - 1 - most + least)
            position = (f"{stride} * {names[at]}" if stride != 1 else names[at]) + f" + {offset}"
            text = f"{x.name}[{', '.join(names)}]"
            if inside:
                position += f" + {step} * {window}" if step > 0 else f" - {window}"
                text += f" * {self.parameter((inside,))}[{window}] / {self.dims[inside] ** 0.5:.3g}"
            left = ", ".join(position if i == at else n for i, n in enumerate(names))
            self.statements.append(f"{name}[{left}] {'+' * clause}= {self.number()} * {text}")
        self.scope.append(Value(name, axes, True, "value"))

    def untakenRule(self):
        """Values that are infinite or NaN where a condition does not hold, one or two matrix products of them, and an `if`
        that takes those where it holds. Nothing else reads the values."""
        axes = self.someAxes(1, 200, ("B",))
        letters = self.nameLeft(axes)
        holds, inner = self.condition(letters), dict(letters)
        summed = self.freshLetter(inner, 6000)
        x = summed and self.someRead(inner, summed)
        if not x:
            return
        if "b" not in x.used:
            x = self.sampled(x, letters)
        infinite = self.random.choice([f"{x.at(0)} / (if {holds.text} then 1 else 0)",
                                       f"log(if {holds.text} then 1 + {x.at(0)} * {x.at(0)} else -1)",
                                       f"rsqrt(if {holds.text} then 1 + {x.at(0)} * {x.at(0)} else 0)",
                                       f"exp(if {holds.text} then tanh({x.text}) else 1000)"])
        known = x.used | holds.used
        name, brackets = self.name("n"), ", ".join(l if l in known else f"{l}: {inner[l]}" for l in inner)
        self.statements.append(f"{name}[{brackets}] = {infinite}")
        for last in [False] * self.flip(0.4) + [True]:
            after, outer = self.random.choice([d for d in self.dims if d not in ("B", "K")]), dict(letters)
            other = next(l for l in LETTERS if l not in self.taken)
            self.taken.add(other)
            outer[other] = after
            weights = f"{self.parameter((inner[summed], after))}[{summed}, {other}]"
            text = f"{name}[{', '.join([*letters, summed])}] * {weights} / {self.dims[inner[summed]] ** 0.5:.3g}"
            name = self.name("v")
            if last:
                self.left = set(outer)
                both = f" and {self.condition(outer).text}" if self.flip(0.3) else ""
                text = f"if {holds.text}{both} then {text} else {self.elementwise(outer, 1).text}"
            self.statements.append(f"{name}[{', '.join(outer)}] = {text}")
            inner, summed = outer, other
        self.scope.append(Value(name, (*axes, after), True, "value"))

    def parameter(self, axes):
        value = Value(self.name("p"), axes, True, "parameter")
        self.parameters.append(value)
        self.scope.append(value)
        return value.name

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
