"""random_program.py SEED: prints a random .ein program, always the same for the same seed.

Layers over random extents (1, odd ones, more than 256 summed) with products of one to three tensors, diagonals,
broadcasts, axes split and merged on both sides, reductions, branches, gathers, functions, norms; integers as positions,
rules and results, truth values as inputs and rules; tied and frozen parameters, repeated layers, skips. The loss
is a mean over the batch. Values stay near 1. A program is *smooth* unless its comment says otherwise: what is compared or
clipped is an input, a parameter, an index, or has a sign that no small change of a parameter turns."""
import math
import random
import re
import sys

LETTERS = "ijklmnopqrstuvw"
SMOOTH = ["tanh", "sigmoid", "erf", "gelu", "silu", "gelu_tanh", "softplus", "bump", "log_of", "sqrt_of", "rsqrt_of",
          "exp_of", "scaled", "sin", "cos", "log1p_of", "tan_of", "pow_of"]
FUNCTIONS = """\
fn bump(x) -> y { y = exp(-x * x) }
fn log_of(x) -> y { y = log(1 + x * x) }
fn sqrt_of(x) -> y { y = sqrt(1 + x * x) }
fn rsqrt_of(x) -> y { y = x * rsqrt(0.5 + x * x) }
fn log1p_of(x) -> y { y = log1p(x * x) }
fn tan_of(x) -> y { y = tan(tanh(x)) }
fn pow_of(x) -> y { y = pow(0.5 + x * x, 0.3 * tanh(x)) }
fn exp_of(x) -> y { y = exp(tanh(x)) }
fn scaled(x; by = 0.75) -> y { y = by * x }
fn centred(x[..., i]) -> y[..., i] { y[..., i] = x[..., i] - mean[j](x[..., j]) }
fn weighed(x[..., i], g[i]) -> y[...] { y[...] = x[..., i] * g[i] / sqrt(size(i)) }
fn log_sum(x[..., i]) -> y[...] {
  m[...] = stop(max[i](x[..., i]))
  y[...] = log(sum[i](exp(x[..., i] - m[...]))) + m[...]
}
"""


class Value:
    """A tensor that rules can read: its axes are names of dims."""

    def __init__(self, name, axes, trained, origin):
        self.name, self.axes, self.trained, self.origin = name, axes, trained, origin


class Expr:
    """Text, how tightly it binds (0: an atom, 1: a term, 2: a sum), a bound of its usual size, the indices of its tensors,
    whether it depends on parameters, how many tensors it multiplies, the indices that it has as numbers."""

    def __init__(self, text, level, size, used=frozenset(), trained=False, tensors=0, numbers=frozenset()):
        self.text, self.level, self.size, self.used = text, level, size, frozenset(used)
        self.trained, self.tensors, self.numbers = trained, tensors, frozenset(numbers)

    def at(self, level):
        return self.text if self.level <= level else f"({self.text})"


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.rough = self.random.random() < 0.25
        self.layers, self.names = [], 0
        self.chooseSizes()
        self.chooseInputs()
        self.calls, self.body, self.owners = 0, [], []
        self.pool = list(self.inputs)
        self.buildModel()

    # Choices.

    def flip(self, chance):
        return self.random.random() < chance

    def pick(self, weights):
        return self.random.choices(list(weights), list(weights.values()))[0]

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def number(self, low=0.2, high=1.5):
        return f"{self.random.uniform(low, high):.3g}"

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
        self.micro_batches = self.random.choice([m for m in (1, 2, 4) if batch % m == 0])

    def extent(self, axes):
        return math.prod(self.dims[axis] for axis in axes)

    def someAxes(self, most, limit, first=()):
        """Axes for a tensor of at most `limit` elements."""
        axes = tuple(first)
        for _ in range(self.random.randint(0 if first else 1, most)):
            axis = self.random.choice([name for name in self.dims if name != "B"])
            if self.extent(axes + (axis,)) <= limit:
                axes += (axis,)
        return axes

    def chooseInputs(self):
        self.inputs, self.indices, self.masks = [], [], []
        for i in range(self.random.randint(1, 2)):
            self.inputs.append(Value(f"x{i}", self.someAxes(2, 3000, ("B",)), False, "input"))
        for i in range(self.pick({0: 3, 1: 4, 2: 2})):
            self.indices.append(Value(f"t{i}", self.someAxes(1, 300, ("B",)), False, "index"))
        for i in range(self.pick({0: 2, 1: 1})):
            self.masks.append(Value(f"m{i}", self.someAxes(1, 300, ("B",)), False, "mask"))
        self.tokens, self.known_masks = list(self.indices), list(self.masks)  # those that layers give too

    # Reads of tensors in a rule; `letters` maps the rule's indices to dims.

    def readable(self, axis, letters):
        return axis in letters.values() or (axis in self.splits and all(d in letters.values() for d in self.splits[axis]))

    def affine(self, letters):
        """`P * i + p` for letters, slowest first, and their dims."""
        terms, count = [], len(letters)
        for position, letter in enumerate(letters):
            faster = [dim for _, dim in letters[position + 1:]]
            extents = [str(self.dims[dim]) if self.flip(0.3) else dim for dim in faster]
            terms.append(" * ".join(self.random.sample(extents + [letter[0]], len(extents) + 1)))
        if min(self.dims[dim] for _, dim in letters) > 1 and self.flip(0.3):
            self.random.shuffle(terms)
        return " + ".join(terms)

    def splitRead(self, axis, letters, wanted):
        """Letters that together count a split axis, or None."""
        if not all(dim in letters.values() for dim in self.splits[axis]):
            return None
        found = []
        for dim in self.splits[axis]:
            choices = [letter for letter in letters if letters[letter] == dim]
            fresh = [letter for letter in choices if letter not in [l for l, _ in found]]
            if not fresh:
                return None
            found.append((wanted if wanted in fresh else self.random.choice(fresh), dim))
        return found

    def read(self, value, letters, wanted=None, plain=False):
        """`value` read at letters of its dims, or None if there are none for it; `plain`: at nothing else."""
        entries, used, numbers = [], set(), set()
        for axis in value.axes:
            choices = [letter for letter in letters if letters[letter] == axis]
            tokens = [t for t in self.scope_indices if axis == "V" and all(d in letters.values() for d in t.axes)]
            if tokens and not plain and self.flip(0.5 if choices else 1):
                token = self.read(self.random.choice(tokens), letters, plain=True)
                entries.append(token.text)
                used |= token.used
                continue
            position = self.position(axis, letters) if not plain and self.flip(0.1 if choices else 0.6) else None
            if position:
                entries.append(position.text)
                used |= position.used
                numbers |= position.numbers
                continue
            splits = not plain and axis in self.splits and self.flip(0.6 if choices else 1)
            parts = self.splitRead(axis, letters, wanted) if splits else None
            if parts:
                entries.append(self.affine(parts))
                used |= {letter for letter, _ in parts}
                continue
            if axis != "B" and not wanted and not plain and self.flip(0.04):
                entries.append(str(self.random.randrange(self.dims[axis])))
                continue
            if not choices:
                return None
            letter = wanted if wanted in choices and wanted not in used else self.random.choice(choices)
            fresh = [choice for choice in choices if choice not in used]
            if letter in used and fresh and self.flip(0.7):
                letter = self.random.choice(fresh)
            entries.append(letter)
            used.add(letter)
        text = f"{value.name}[{', '.join(entries)}]" if entries else value.name
        return Expr(text, 0, 1, used, value.trained, 1, numbers - used)

    def position(self, axis, letters):
        """A computed position on an axis, inside it whatever its integers are. Its letters are the left side's, for it
        tells no extents."""
        plain = {letter: letters[letter] for letter in letters if letter in self.left and letters[letter] != "B"}
        a = self.integer(plain, 1, self.tokensOver(letters), letters)
        if axis == "B" or not a.used | a.numbers:
            return None
        return Expr(f"{a.at(0)} % {axis}", 1, 1, a.used, numbers=a.numbers - a.used)

    def tokensOver(self, letters):
        return [t for t in self.scope_indices if all(axis in letters.values() for axis in t.axes)]

    def integer(self, plain, depth, tokens, letters):
        """An integer of the letters in `plain` and of tokens; what overflows wraps."""
        if depth == 0:
            kind = self.pick({"letter": 3 if plain else 0, "token": 4 if tokens else 0, "number": 1})
            if kind == "letter":
                letter = self.random.choice(list(plain))
                return Expr(letter, 0, 1, numbers=letter)
            if kind == "token":
                token = self.read(self.random.choice(tokens), letters, plain=True)
                if token:
                    return Expr(token.text, 0, 1, token.used)
            return Expr(str(self.random.choice([1, 2, 3, 7, 1000])), 0, 1)
        a, b = (self.integer(plain, depth - 1 if self.flip(0.7) else 0, tokens, letters) for _ in range(2))
        kind = self.pick({"+": 4, "-": 3, "*": 3, "//": 2, "%": 2, "max": 1, "min": 1, "abs": 1, "sign": 1, "if": 1})
        if kind in ("+", "-"):
            return self.join(f"{a.at(2)} {kind} {b.at(1)}", 2, a, b)
        if kind == "*":
            return self.join(f"{a.at(0)} * {b.at(0)}", 1, a, b)
        if kind in ("//", "%"):
            by = f"({b.text} * 2 + 1)" if b.used | b.numbers else str(self.random.choice([2, 3, 5]))
            return self.join(f"{a.at(0)} {kind} {by}", 1, a, b)
        if kind in ("max", "min"):
            return self.join(f"{kind}({a.text}, {b.text})", 0, a, b)
        if kind == "if" and not a.used and not b.used:  # an index in a condition is summed nowhere
            return self.join(f"(if {a.text} < {b.text} then {a.text} else {b.at(1)} - 1)", 0, a, b)
        return self.join(f"{'-' if self.flip(0.3) else ''}{'abs' if kind == 'if' else kind}({a.text})", 1, a)

    def someRead(self, letters, wanted=None, only=lambda value: True):
        values = [value for value in self.scope if only(value) and all(self.readable(axis, letters) for axis in value.axes)]
        if wanted:
            dims = {letters[wanted]} | {axis for axis, parts in self.splits.items() if letters[wanted] in parts}
            values = [value for value in values if dims & set(value.axes)]
        self.random.shuffle(values)
        if self.parameters is not None and only(Value("", (), True, "parameter")) and self.flip(0.3):
            values = []
        for value in sorted(values, key=lambda v: -len(v.axes) * self.random.random()):
            found = self.read(value, letters, wanted)
            if found and (not wanted or wanted in found.used):
                return found
        if only(Value("", (), True, "parameter")):
            return self.freshParameter(letters, wanted)
        return None

    def freshParameter(self, letters, wanted=None):
        """A new parameter over some letters; in a model, where there is none, a number."""
        some = [l for l in letters if letters[l] != "B" and l != wanted and self.flip(0.5)][:2]
        if wanted:
            some.insert(self.random.randint(0, len(some)), wanted)
        while some and self.extent([letters[l] for l in some]) > 6000:
            some = [l for l in some if l == wanted] if len(some) > 1 else []
        if self.parameters is None:
            return None if wanted else Expr(self.number(), 0, 1)
        value = Value(self.name("p"), tuple(letters[l] for l in some), True, "parameter")
        self.parameters.append(value)
        self.scope.append(value)
        return Expr(f"{value.name}[{', '.join(some)}]" if some else value.name, 0, 1, some, True, 1)

    def freshLetter(self, letters, limit):
        """A letter more, over a dim that keeps the rule below `limit` points; or None."""
        free = [letter for letter in LETTERS if letter not in self.taken]
        dims = [dim for dim in self.dims if dim != "B" and self.extent(letters.values()) * self.dims[dim] <= limit]
        known = [dim for dim in dims if any(dim in value.axes for value in self.scope)]
        if not free or not dims:
            return None
        self.taken.add(free[0])
        letters[free[0]] = self.random.choice(known if known and self.flip(0.6) else dims)
        return free[0]

    # Expressions.

    def product(self, letters, least=1):
        """One to three tensors multiplied, new letters summed by the sum rule."""
        inner = dict(letters)
        summed = [s for s in (self.freshLetter(inner, 60000) for _ in range(self.pick({0: 1, 1: 5, 2: 2}))) if s]
        for dim in self.random.choice(list(self.splits.values())) if self.splits and self.flip(0.3) else ():
            letter = next((l for l in LETTERS if l not in self.taken), None)
            if letter and dim not in inner.values() and self.extent(inner.values()) * self.dims[dim] <= 60000:
                self.taken.add(letter)
                inner[letter] = dim
                summed.append(letter)
        factors = []
        for _ in range(max(least, self.pick({1: 1, 2: 4, 3: 3}))):
            missing = [s for s in summed if not any(s in f.used for f in factors)]
            wanted = self.random.choice(missing or list(inner) or [None])
            factor = self.someRead(inner, wanted if wanted and inner[wanted] != "B" else None)
            factors.append(factor or self.someRead(inner) or Expr(self.number(), 0, 1))
        used = frozenset().union(*(f.used for f in factors))
        count = self.extent([inner[s] for s in summed if s in used])
        tensors = sum(f.tensors for f in factors)
        text = " * ".join(f.text for f in factors)
        if count > 1:
            text += " / " + (f"{count ** 0.5:.3g}" if self.flip(0.5) else f"sqrt({count})")
        if self.flip(0.3):
            text = f"{self.random.choice(['-', ''])}{self.number()} * " + text
        numbers = frozenset().union(*(f.numbers for f in factors)) - used
        return Expr(text, 1, 1, used & set(letters), any(f.trained for f in factors), tensors, numbers)

    def elementwise(self, letters, depth):
        if depth == 0:
            return self.leaf(letters)
        kind = self.pick({"leaf": 2, "sum": 4, "product": 4, "quotient": 2, "smooth": 5, "kink": 2, "branch": 3,
                          "reduction": 3, "extremum": 2, "softmax": 2, "stop": 1, "product_of": 1})
        return getattr(self, kind + "Expr")(letters, depth - 1)

    def leaf(self, letters):
        plain = [letter for letter in letters if letters[letter] != "B"]
        if plain and self.flip(0.08):
            letter = self.random.choice(plain)
            return Expr(f"{letter} / {self.dims[letters[letter]]}", 1, 1, numbers=letter)
        tokens = [t for t in self.scope_indices if all(axis in letters.values() for axis in t.axes)]
        if tokens and self.flip(0.1):
            token = self.read(self.random.choice(tokens), letters, plain=True)
            return Expr(f"real({token.text}) / {self.dims['V']}", 1, 1, token.used)
        return self.someRead(letters) or Expr(self.number(), 0, 1)

    def join(self, text, level, *parts, size=1.0):
        return Expr(text, level, size, frozenset().union(*(p.used for p in parts)), any(p.trained for p in parts),
                    numbers=frozenset().union(*(p.numbers for p in parts)))

    leafExpr = lambda self, letters, depth: self.leaf(letters)

    def product_ofExpr(self, letters, depth):
        """A function of a sum by the sum rule; at depth 0 it may be a condition, which has none."""
        return self.smoothOf(self.product(letters, least=2)) if depth else self.leaf(letters)

    def sumExpr(self, letters, depth):
        a, b = self.elementwise(letters, depth), self.elementwise(letters, depth)
        if self.flip(0.3):
            return self.join(f"{a.at(2)} - {b.at(1)}", 2, a, b, size=a.size + b.size)
        return self.join(f"{a.at(2)} + {b.at(1)}", 2, a, b, size=a.size + b.size)

    def productExpr(self, letters, depth):
        a, b = self.elementwise(letters, depth), self.elementwise(letters, max(0, depth - 1))
        return self.join(f"{a.at(1)} * {b.at(0)}", 1, a, b, size=a.size * b.size)

    def quotientExpr(self, letters, depth):
        a, b = self.elementwise(letters, depth), self.elementwise(letters, 0)
        under = self.pick({f"(1.5 + tanh({b.at(2)}))": 1, f"exp(tanh({b.at(2)}))": 1, f"(1 + {b.at(0)} * {b.at(0)})": 1})
        return self.join(f"{a.at(1)} / {under}", 1, a, b, size=2 * a.size)

    def smoothOf(self, a):
        function = self.random.choice(SMOOTH if a.numbers <= a.used else ["tanh", "sigmoid", "erf"])
        by = f"; by = {self.number()}" if function == "scaled" and self.flip(0.5) else ""
        text = a.text if a.size <= 3 else f"{1 / a.size:.2g} * {a.at(1)}"
        return self.join(f"{function}({text}{by})", 0, a)

    def smoothExpr(self, letters, depth):
        return self.smoothOf(self.elementwise(letters, depth))

    def still(self, letters):
        """What no small change of a parameter moves over 0: an input, a parameter itself, an input times what is above 0."""
        found = self.someRead(letters, only=lambda value: value.origin in ("input", "parameter"))
        if not found:
            return Expr(self.number(), 0, 1)
        if found.trained or self.flip(0.5):
            return found
        by = self.someRead(letters) or Expr(self.number(), 0, 1)
        return self.join(f"{found.text} * {self.random.choice(['exp_of', 'sigmoid', 'sqrt_of'])}({by.text})", 1, found, by)

    def kinked(self, letters, depth):
        return self.elementwise(letters, min(depth, 1)) if self.rough and self.flip(0.7) else self.still(letters)

    def kinkExpr(self, letters, depth):
        a = self.kinked(letters, depth)
        rules = ["leaky_relu", "elu"] if a.numbers <= a.used else []
        kind = self.random.choice(["abs", "relu", "sign", "max", "min"] + rules)
        if kind not in ("max", "min"):
            return self.join(f"{kind}({a.text})", 0, a, size=a.size)
        b = self.elementwise(letters, depth) if self.rough else Expr("0", 0, 1)
        pair = [a, b] if self.flip(0.5) else [b, a]
        return self.join(f"{kind}({pair[0].text}, {pair[1].text})", 0, a, b, size=max(a.size, b.size))

    def condition(self, letters):
        plain = [letter for letter in letters if letters[letter] != "B"]
        tokens = [t for t in self.scope_indices if all(axis in letters.values() for axis in t.axes)]
        relation = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
        if plain and self.flip(0.4):
            a, b = self.random.choice(plain), self.random.choice(plain)
            if a != b and self.flip(0.7):
                return Expr(f"{a} {relation} {b}", 3, 1, numbers=a + b)
            return Expr(f"{a} {relation} {self.random.randrange(self.dims[letters[a]] + 1)}", 3, 1, numbers=a)
        if tokens and self.flip(0.4):
            a, b = self.integer({}, 1, tokens, letters), self.integer({}, 0, tokens, letters)
            if a.used:
                return self.join(f"{a.text} {relation} {b.text}", 3, a, b)
        masks = [m for m in self.scope_masks if all(axis in letters.values() for axis in m.axes)]
        if masks and self.flip(0.6):
            mask = self.read(self.random.choice(masks), letters, plain=True)
            return self.join(mask.text if self.flip(0.7) else f"not {mask.text}", 3, mask)
        a = self.kinked(letters, 1)
        return self.join(f"{a.text} {self.random.choice(['<', '<=', '>', '>='])} 0", 3, a)

    def branchExpr(self, letters, depth):
        c, a, b = self.condition(letters), self.elementwise(letters, depth), self.elementwise(letters, depth)
        text = c.text
        if self.flip(0.3):
            d = self.condition(letters)
            c, text = self.join("", 3, c, d), f"{'not ' if self.flip(0.3) else ''}{text} {self.random.choice(['and', 'or'])} {d.text}"
        return self.join(f"(if {text} then {a.text} else {b.text})", 0, c, a, b, size=max(a.size, b.size))

    def stopExpr(self, letters, depth):
        if self.rough:
            a = self.elementwise(letters, depth)
            return Expr(f"stop({a.text})", 0, a.size, a.used, numbers=a.numbers)
        a = self.someRead(letters, only=lambda value: value.origin == "input")
        return Expr(f"stop({a.text})", 0, 1, a.used) if a else self.leaf(letters)

    def bindLetter(self, letters, depth, least=1):
        """New letters and an expression over them too."""
        inner = dict(letters)
        new = [self.freshLetter(inner, 6000) for _ in range(self.pick({1: 4, 2: 1}))]
        new = [letter for letter in new if letter]
        a = self.elementwise(inner, depth)
        for letter in new:
            if letter not in a.used:
                b = self.someRead(inner, letter)
                if b:
                    a = self.join(f"{a.at(1)} * {b.text}", 1, a, b, size=a.size)
        new = [letter for letter in new if letter in a.used | a.numbers]
        return new, a, ", ".join(l if l in a.used else f"{l}: {inner[l]}" for l in new)

    def reductionExpr(self, letters, depth):
        new, a, brackets = self.bindLetter(letters, depth)
        if not new:
            return a
        if self.flip(0.5):
            result = self.join(f"mean[{brackets}]({a.text})", 0, a, size=a.size)
        else:
            scale = f"{self.random.uniform(0.5, 1):.2g}"
            result = self.join(f"{scale} * sum[{brackets}]({a.text}) / {max(1, self.widest())}", 1, a, size=a.size)
        result.used, result.numbers = result.used - set(new), result.numbers - set(new)
        return result

    def widest(self):
        return round(max(self.dims.values()) ** 0.5)

    def extremumExpr(self, letters, depth):
        if self.rough:
            new, a, brackets = self.bindLetter(letters, depth)
        else:
            inner = dict(letters)
            new = [letter for letter in [self.freshLetter(inner, 6000)] if letter]
            if new:
                a = self.someRead(inner, new[0], lambda value: value.origin in ("input", "parameter")) or \
                    self.someRead(inner, new[0])
                if not a or new[0] not in a.used:
                    return self.leaf(letters)
                brackets = new[0]
                if self.flip(0.6):
                    b = self.elementwise(inner, 1)
                    a = self.join(f"{a.text} + 0.1 * tanh({b.text})", 2, a, b)
        if not new:
            return a if self.rough else self.leaf(letters)
        result = self.join(f"{self.random.choice(['max', 'min'])}[{brackets}]({a.text})", 0, a, size=a.size)
        result.used, result.numbers = result.used - set(new), result.numbers - set(new)
        return result

    def softmaxExpr(self, letters, depth):
        """softmax and the like over a letter of the rule, or over one that the sum rule sums with another tensor."""
        plain = [letter for letter in letters if letters[letter] != "B"]
        if not plain:
            return self.leaf(letters)
        letter = self.random.choice(plain)
        a = self.elementwise(letters, depth)
        if letter not in a.used:
            b = self.someRead(letters, letter)
            if not b:
                return a
            a = self.join(f"{a.at(2)} + {b.text}", 2, a, b)
        kind = self.random.choice(["softmax", "log_softmax", "centred", "masked"])
        others = [other for other in plain if other != letter]
        if kind != "masked":
            return self.join(f"{kind}[{letter}]({a.text})", 0, a, size=a.size if kind == "centred" else 3)
        if others and self.flip(0.7):
            bound = self.random.choice(others)
            a = self.join(a.text, a.level, a, Expr("", 0, 1, numbers=bound))
        else:
            bound = self.random.randrange(self.dims[letters[letter]] + 1)
        compare = f"{letter} {self.random.choice(['<=', '<', '>='])} {bound}"
        return self.join(f"softmax[{letter}](if {compare} then {a.text} else -inf)", 0, a)

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
        self.taken, letters = set(), {}
        for axis in axes:
            letter = "b" if axis == "B" else next(l for l in LETTERS if l not in self.taken)
            self.taken.add(letter)
            letters[letter] = axis
        self.left = set(letters)
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
        else:
            self.statements.append(f"{name}[{brackets}] = {a.at(0)} % V")
            self.scope_indices.append(Value(name, tuple(axes), False, "index"))

    def sampled(self, a, letters):
        """`a` times something of the sample."""
        x = self.averaged(self.random.choice([value for value in self.scope if "B" in value.axes]), letters)
        return self.join(f"{a.at(1)} * {x.text}", 1, a, x)

    def averaged(self, value, letters):
        """`value`, its mean over the axes that the rule does not have."""
        inner, new = dict(letters), []
        for axis in value.axes:
            if axis not in inner.values():
                letter = next(l for l in LETTERS if l not in self.taken)
                self.taken.add(letter)
                inner[letter] = axis
                new.append(letter)
        entries = [next(l for l in reversed(inner) if inner[l] == axis) for axis in value.axes]
        text = f"{value.name}[{', '.join(entries)}]"
        return Expr(f"mean[{', '.join(new)}]({text})" if new else text, 0, 1, set(entries) - set(new), value.trained)

    def attended(self, letters):
        """`softmax[k](..) * v[.., k]`: the sum rule sums over an index that a call keeps."""
        inner = dict(letters)
        letter = self.freshLetter(inner, 6000)
        if not letter:
            return None
        a, v = self.someRead(inner, letter), self.someRead(inner, letter)
        if not a or not v:
            return None
        result = self.join(f"softmax[{letter}]({self.number()} * {a.text}) * {v.text}", 1, a, v)
        result.used -= {letter}
        return result

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
            text = f"{kind}({x.name}, {', '.join(given)}" + ("; eps = 0.01)" if kind != "weighed" else ")")
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
        if repeated:  # from the second turn on, the argument is computed
            formals[0].origin, formals[0].trained = "value", True
        self.enter(list(formals), [t for t in indices if t.origin == "index"], [t for t in indices if t.origin == "mask"], [])
        shares = self.shareParameters()
        for _ in range(self.random.randint(1, 4)):
            if self.flip(0.25):
                self.integerRule()
            if self.flip(0.3):
                self.wholeRule()
            else:
                self.rule(self.name("v"), self.layerAxes())
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
        out = ", ".join(self.typed(v) for v in results)
        lines = [f"layer {name}({header}) -> {out} {{"] + [f"  {line}" for line in shares]
        for value in self.parameters:
            lines.append("  " + self.parameterLine(value))
        self.layers.append("\n".join(lines + [f"  {line}" for line in self.statements] + ["}"]))
        self.owners_new = [(f"{name}", value) for value in self.parameters]
        return name, [v.name for v in tokens], results

    def typed(self, value):
        type_ = {"index": ": i32", "mask": ": bool"}.get(value.origin, "")
        return f"{value.name}{type_}[{', '.join(value.axes)}]"

    def layerAxes(self):
        axes = list(self.someAxes(3, 2500, ("B",) if self.flip(0.85) else ()))
        if self.flip(0.3):
            self.random.shuffle(axes)
        return tuple(axes)

    def parameterLine(self, value):
        shape = f"[{', '.join(value.axes)}]" if value.axes else ""
        trained = value is self.parameters[0] and not self.owners
        start = "~ normal(0.5)" if trained else self.pick({"~ normal(0.5)": 5, "~ uniform(-1, 1)": 2, f"= {self.number()}": 1, "~ normal(0.8) frozen": 1})
        return f"param {value.name}{shape} {start}"

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
                prefix = self.name("in") if self.flip(0.2) else ""
                self.body.append(f"{', '.join(v.name for v in results)} = {name}({', '.join(names)})" + (f" in {prefix}" if prefix else ""))
                self.owners += [(f"{prefix}.{name}" if prefix else name, v) for _, v in self.owners_new]
            self.calls += turns
            self.tokens += [v for v in results if v.origin == "index"]
            self.known_masks += [v for v in results if v.origin == "mask"]
            self.pool += [v for v in results if v.origin == "value"]
            if turns == 1 and not repeatedNeeded(axes, arguments) and self.flip(0.25):
                again = Value(self.name("z"), axes[0], True, "value")
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

    def buildLoss(self):
        """A mean over the batch that every late value takes part in."""
        self.enter(list(self.pool), list(self.tokens), list(self.known_masks), None)
        terms, free = [], list(LETTERS)
        late = [v for v in self.pool if v.origin != "input"]
        for value in late[-4:] + self.random.sample(late[:-4], min(1, len(late[:-4]))):
            letters = ["b"] + [free.pop(0) for _ in value.axes[1:]]
            text, some, last = f"{value.name}[{', '.join(letters)}]", ", ".join(letters[:-1]), letters[-1]
            tokens = [t for t in self.tokens if t.axes == value.axes[:-1]]
            if value.axes[-1] == "V" and tokens and self.flip(0.8):
                terms.append(f"mean[{some}](cross_entropy[{last}]({text}, {tokens[0].name}[{some}]))")
            elif self.flip(0.5):
                terms.append(f"mean[{', '.join(letters)}](squared_error({text}, {self.number()}))")
            else:
                terms.append(f"mean[{', '.join(letters)}]({self.random.choice(SMOOTH)}({text}) * {self.number()})")
        self.body.append("loss = " + " + ".join(self.random.sample(terms, len(terms))))

    def text(self):
        header = ", ".join([f"{v.name}[{', '.join(v.axes)}]" for v in self.inputs] +
                           [self.typed(v) for v in self.indices + self.masks])
        output = self.pool[-1]
        outputs = f"loss, {output.name}[{', '.join(output.axes)}]" if output.origin != "input" else "loss"
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
