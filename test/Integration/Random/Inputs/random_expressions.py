"""Reads of tensors and real expressions of random programs."""
from random_integers import Expr, Integers, LETTERS, Value

SMOOTH = ["tanh", "sigmoid", "erf", "gelu", "silu", "gelu_tanh", "softplus", "bump", "log_of", "sqrt_of", "rsqrt_of",
          "exp_of", "scaled", "sin", "cos", "log1p_of", "expm1_of", "ndtr", "mish", "log_sigmoid", "tan_of", "pow_of"]


class Expressions(Integers):
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
                          "reduction": 3, "extremum": 2, "softmax": 2, "stop": 1, "product_of": 1,
                          "drawn": 1})
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
        inner = dict(letters)
        letter = self.freshLetter(inner, 3000) if self.flip(0.08) else None
        if letter:
            c = self.condition(inner)
            if letter not in c.used | c.numbers:
                return c
            bound = letter if letter in c.used else f"{letter}: {inner[letter]}"
            return Expr(f"{self.random.choice(['any', 'all', 'sum'])}[{bound}]({c.text})", 0, 1, c.used - {letter}, c.trained,
                        numbers=c.numbers - {letter})
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

    def guarded(self, letters, depth):
        """A read whose position a condition keeps inside: of a token, or of a letter of the left side. None if there is none."""
        choose = self.later.choice
        plain = [letter for letter in letters if letter in self.left and letters[letter] != "B"]
        found = []  # value, axis, the letter or token
        for value in self.scope:
            for at, axis in enumerate(value.axes):
                if all(self.readable(other, letters) and other in letters.values() for i, other in enumerate(value.axes) if i != at):
                    found += [(value, at, letter) for letter in plain if letters[letter] == axis]
                    found += [(value, at, token) for token in self.tokensOver(letters) if axis == "V"]
        if not found:
            return None
        value, at, by = choose(found)
        axis, shift = value.axes[at], self.later.randrange(self.dims[value.axes[at]] + 1)
        token = self.read(by, letters, plain=True) if isinstance(by, Value) else Expr(by, 0, 1, numbers=by)
        position, condition = choose([(f"{token.text} - {shift}", f"{token.text} >= {shift}"),
                                      (f"{token.text} + {shift}", f"{token.text} + {shift} < {axis}"),
                                      (f"{axis} - {shift} - {token.text}", f"{token.text} > -{shift} and {token.text} <= {axis} - {shift} and {shift} > 0")])
        entries, used = [], set(token.used)
        for i, other in enumerate(value.axes):
            letter = None if i == at else choose([each for each in letters if letters[each] == other])
            entries.append(letter or position)
            used |= {letter} if letter else set()
        read = Expr(f"{value.name}[{', '.join(entries)}]", 0, 1, used, value.trained, 1, token.numbers - used)
        other = self.elementwise(letters, 0)
        if self.later.random() < 0.3:
            read = self.join(f"tanh({read.text})", 0, read)
        text = f"(if {condition} then {read.text} else {other.text})"
        if self.later.random() < 0.4:
            text = f"(if not ({condition}) then {other.text} else {read.text})"
        return self.join(text, 0, read, other)

    def branchExpr(self, letters, depth):
        found = self.guarded(letters, depth) if self.isLater(0.6) else None
        if found:
            return found
        c, a, b = self.condition(letters), self.elementwise(letters, depth), self.elementwise(letters, depth)
        text = c.text
        if self.flip(0.3):
            d = self.condition(letters)
            text = f"{'not ' if self.flip(0.3) else ''}{text} {self.random.choice(['and', 'or'])} {d.text}" if self.flip(0.7) else \
                f"({text}) {self.random.choice('*+')} ({d.text})"
            c = self.join("", 3, c, d)
        return self.join(f"(if {text} then {a.text} else {b.text})", 0, c, a, b, size=max(a.size, b.size))

    def drawnExpr(self, letters, depth):
        a = self.elementwise(letters, depth)
        kind = self.pick({f"dropout({a.text}; rate = 0.3)": 2 if a.used and a.numbers <= a.used else 0, f"(if random() < 0.4 then 0.5 else {a.at(2)})": 1,
                          f"{a.at(1)} * random()": 1, f"{a.at(1)} * tanh(normal())": 1, f"{a.at(1)} * min(1, real(step()) / 2)": 1})
        return self.join(kind, 1, a, size=1.5 * a.size)

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
        return {l: inner[l] for l in new}, a, ", ".join(l if l in a.used else f"{l}: {inner[l]}" for l in new)

    def reductionExpr(self, letters, depth):
        new, a, brackets = self.bindLetter(letters, depth)
        if not new:
            return a
        if self.flip(0.25):
            count = self.extent(new.values())
            result = self.join(f"prod[{brackets}](1 + tanh({a.text}) / {count})", 0, a, size=2)
        elif self.flip(0.5):
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
