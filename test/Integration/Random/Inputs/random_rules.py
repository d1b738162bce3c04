"""Rules of random programs: what a layer computes, line by line."""
import re

from random_expressions import Expr
from random_integers import LETTERS, Value


class Rules:
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
        brought = self.random.choice([d for d in self.dims if d != "B" and self.dims[d] <= self.dims[x.axes[at]]] + [None])
        gone = {at}
        others = [other for other in range(1, len(x.axes)) if other != at]
        if not brought and others and self.flip(0.5):
            gone.add(self.random.choice(others))
        axes = tuple(axis for number, axis in enumerate(x.axes) if number not in gone)
        letters = self.nameLeft(axes + ((brought,) if brought else ()))
        entries = iter(list(letters)[:len(axes)])
        overs = [l for l in LETTERS if l not in self.taken][:len(gone)]
        reduced = iter(overs)
        read = f"{x.name}[{', '.join(next(reduced if number in gone else entries) for number in range(len(x.axes)))}]"
        over = ", ".join(overs if self.flip(0.5) else overs[::-1])
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
