"""Integers of random programs: positions on axes, split axes, arithmetic of indices and tokens. `letters` maps the indices
of a rule to dims."""
import math

LETTERS = "ijklmnopqrstuvw"


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


class Integers:
    """What the random choices, the sizes and the scope of a Program give."""

    def flip(self, chance):
        return self.random.random() < chance

    def isLater(self, chance):
        """Whether to draw a form that came later."""
        return self.later is not None and self.later.random() < chance

    def pick(self, weights):
        return self.random.choices(list(weights), list(weights.values()))[0]

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def number(self, low=0.2, high=1.5):
        return f"{self.random.uniform(low, high):.3g}"

    def extent(self, axes):
        return math.prod(self.dims[axis] for axis in axes)

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
        if self.isLater(0.3):
            kind = self.later.choice(["&", "|", "^", "<<", ">>", "~"])
            return self.join(f"({a.at(0)} {kind} {b.at(0)})", 0, a, b) if kind != "~" else self.join(f"~{a.at(0)}", 0, a)
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

    def join(self, text, level, *parts, size=1.0):
        return Expr(text, level, size, frozenset().union(*(p.used for p in parts)), any(p.trained for p in parts),
                    numbers=frozenset().union(*(p.numbers for p in parts)))
