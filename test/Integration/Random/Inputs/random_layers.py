"""random_layers.py SEED: prints a random model of many small layers, always the same for the same seed.

Where random_program.py draws rules, this draws what plans are made of: branches that meet, skips, repeated layers, layers that only `infer`
needs or nothing does, loops of turns, experts that tokens choose, tied, frozen and narrow parameters, narrow results, sums of
several losses, lines between layers. Each line says what it defines and reads, so `text(draw)` writes independent lines in another order."""
import random
import sys

from random_integers import Value

HEAD = ("fn bump(x) -> y { y = exp(-x * x) }",)
# What a layer is: arguments beside the first, and lines. All are from [B, S, D] to [B, S, D].
LAYERS = {
    "plain": ((), "y[b, s, d] = tanh(x[b, s, d])"),
    "lin": ((), "param w[D, D] ~ normal(0.4)\ny[b, s, e] = tanh(x[b, s, d] * w[d, e])"),
    "res": ((), "param w[D, D], c[D] ~ normal(0.3)\ny[b, s, e] = x[b, s, e] + tanh(x[b, s, d] * w[d, e] + c[e])"),
    "ffn": ((), "param w1[D, F], w2[F, D] ~ normal(0.2)\nh[b, s, f] = gelu(x[b, s, d] * w1[d, f])\n"
                "y[b, s, d] = x[b, s, d] + h[b, s, f] * w2[f, d]"),
    "attend": ((), "param q[D, D], k[D, D] ~ normal(0.4)\na[b, s, e] = x[b, s, d] * q[d, e]\nk1[b, t, e] = x[b, t, d] * k[d, e]\n"
                   "p[b, s, t] = softmax[t](a[b, s, e] * k1[b, t, e])\ny[b, s, d] = x[b, s, d] + p[b, s, t] * x[b, t, d]"),
    "norm": ((), "param g[D] = 1\ny = rms_norm(x, g; eps = 0.01)"),
    "scan": ((), "param u[D], w[D] ~ normal(0.5)\nh[b: B, d: D] = 0\n"
                 "repeat t < S { h[b, d] = tanh(x[b, t, d] * w[d] + u[d] * h[b, d])  y[b, t, d] = h[b, d] }"),
    "long": ((), "param u[D] ~ normal(0.5)\nh[b: B, d: D] = 0\n"
                 "repeat 64 { h[b, d] = tanh(x[b, s, d] / S + u[d] * h[b, d]) }\ny[b, s, d] = 0.5 * x[b, s, d] + h[b, d]"),
    "experts": ((), "param g[D, E], w[E, D, D] ~ normal(0.4)\nr[b, s, e] = x[b, s, d] * g[d, e]\nk[b, s] = argmax[e](r[b, s, e])\n"
                    "p[b, s, e] = softmax[e](r[b, s, e])\n"
                    "y[b, s, c] = x[b, s, c] + p[b, s, k[b, s]] * tanh(x[b, s, d] * w[k[b, s], d, c])"),
    "quant": ((), "param w: i8[D, D] = 2 frozen\nparam c: bf16[D] ~ normal(0.5) frozen\nparam s[D] ~ normal(0.5)\n"
                  "y[b, s1, e] = x[b, s1, e] + 0.1 * x[b, s1, d] * real(w[d, e]) * s[e] + c[e]"),
    "narrow": ((), "param w[D, D] ~ normal(0.4)\nh: bf16[B, S, D]\nh[b, s, e] = x[b, s, d] * w[d, e]\ny[b, s, e] = tanh(h[b, s, e]) + 0.5 * x[b, s, e]"),
    "mix": (("h[B, S, D]",), "param w[D, D] ~ normal(0.3)\ny[b, s, e] = tanh(x[b, s, d] * w[d, e] + h[b, s, e])"),
    "gate": (("h[B, S, D]",), "param w[D, D] ~ normal(0.3)\ny[b, s, e] = x[b, s, e] * sigmoid(h[b, s, d] * w[d, e])"),
    "cross": (("h[B, S, D]",), "param w[D, D] ~ normal(0.4)\na[b, s, e] = x[b, s, d] * w[d, e]\n"
                               "p[b, s, t] = softmax[t](a[b, s, e] * h[b, t, e])\ny[b, s, d] = x[b, s, d] + p[b, s, t] * h[b, t, d]"),
}
OTHERS = {
    "embed": "layer embed(tok: i32[B, S]) -> x[B, S, D] {\n  param wte[V, D] ~ normal(0.3)\n  x[b, s, d] = wte[tok[b, s], d]\n}\n",
    "head": "layer head(x[B, S, D]) -> logits[B, S, V] {\n  param w[D, V] ~ normal(0.3)\n  logits[b, s, v] = x[b, s, d] * w[d, v]\n}\n",
    "tied": "layer tied(x[B, S, D]) -> logits[B, S, V] {\n  share w = embed.wte\n  logits[b, s, v] = x[b, s, d] * w[v, d]\n}\n",
    "store": "layer store(x[B, S, D]) -> y[B, S, D] {\n  param w[D] ~ normal(0.5)\n  stash skip = x\n  y[b, s, d] = tanh(x[b, s, d] * w[d])\n}\n",
    "load": "layer load(x[B, S, D]) -> y[B, S, D] {\n  skipped[B, S, D] = pop skip\n  y[b, s, d] = 0.5 * x[b, s, d] + skipped[b, s, d]\n}\n",
}


class Line:
    def __init__(self, text, makes, reads):
        self.text, self.makes, self.reads = text, set(makes), set(reads)


class Layered:
    """Has what check_random_programs.py asks of a program."""

    rough = True  # no gradient is compared with differences

    def __init__(self, seed):
        self.random = random.Random(seed)
        pick = self.random.choice
        self.dims = {"B": pick([1, 2, 3, 4, 5, 6, 7, 8, 8, 12]), "S": pick([1, 2, 3, 4]), "D": pick([2, 4, 4, 6, 8, 16]), "F": pick([4, 6, 8, 12, 32]),
                     "V": pick([4, 6, 8, 17]), "E": pick([2, 3, 4])}
        self.micro_batches = pick([m for m in range(1, self.dims["B"] + 1) if m <= 8])
        self.lines, self.used, self.names = [], set(), 0
        self.calls = 0
        self.stored = []
        self.build()

    def name(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    def flip(self, chance):
        return self.random.random() < chance

    def add(self, text, makes, reads, calls=0):
        self.lines.append(Line(text, makes, reads))
        self.calls += calls

    def call(self, kind, value, pool):
        """One call of a layer, or several in turns; returns its result's name."""
        self.used.add(kind)
        others = [self.random.choice(pool) for _ in LAYERS[kind][0]]
        result, space = self.name("z"), f" in {self.name('n')}"
        arguments = ", ".join([value, *others])
        turns = self.random.choice([1, 1, 1, 2, 3])
        if turns == 1:
            self.add(f"{result} = {kind}({arguments}){space}", [result], [value, *others], 1)
        else:
            inner = ", ".join([result, *others])
            self.add(f"{result} = {value}\n  repeat {turns} {{ {result} = {kind}({inner}){space} }}", [result], [value, *others], turns)
        return result

    def between(self, pool):
        """A line that is no call of a layer."""
        a, b, result = self.random.choice(pool), self.random.choice(pool), self.name("u")
        text = self.random.choice(["0.5 * {a}[b, s, d] + {b}[b, s, d]", "tanh({a}[b, s, d]) * {b}[b, s, d]",
                                   "{a}[b, s, d] - 0.5 * mean[t]({b}[b, t, d])", "bump({a}[b, s, d])"]).format(a=a, b=b)
        self.add(f"{result}[b, s, d] = {text}", [result], {a, b})
        return result

    def skip(self, value):
        """A value that a layer stashes, and one that another layer makes of it later."""
        space, result = self.name("k"), self.name("z")
        self.used |= {"store", "load"}
        self.add(f"{result} = store({value}) in {space}", [result, space], [value], 1)
        self.stored.append(space)
        return result

    def load(self, value):
        space, result = self.stored.pop(), self.name("z")
        self.add(f"{result} = load({value}) in {space}", [result], [value, space], 1)
        return result

    def build(self):
        if self.flip(0.6):
            self.inputs, self.indices = [], [Value("tok", ("B", "S"), False, "index")]
            self.used.add("embed")
            self.add("x = embed(tok)", ["x"], [], 1)
        else:
            self.inputs, self.indices = [Value("x", ("B", "S", "D"), False, "input")], []
        self.masks = []
        token = self.indices and self.flip(0.6)
        if token:
            self.indices.append(Value("next", ("B", "S"), False, "index"))
        first = "x" if self.indices else self.call("lin", "x", ["x"])  # something is trained
        pool = [first]
        kinds = self.random.sample(list(LAYERS), self.random.randint(1, 4))
        branches = self.random.choice([0, 0.3, 0.7])
        for _ in range(self.random.choice([1, 2, 3, 3, 4, 4, 5, 6, 8])):
            value = self.random.choice(pool) if self.flip(branches) else pool[-1]
            how = self.random.random()
            if how < 0.15 and self.calls:
                pool.append(self.between(pool))
            elif how < 0.22:
                pool.append(self.skip(value))
            elif how < 0.3 and self.stored:
                pool.append(self.load(value))
            else:
                pool.append(self.call(self.random.choice(kinds), value, pool[-3:]))
        while self.stored:
            pool.append(self.load(pool[-1]))
        unread = [name for name in pool if all(name not in line.reads for line in self.lines)]
        if len(unread) > 1 and self.flip(0.7):  # branches meet
            while len(unread) > 1:
                a, b, result = unread.pop(), unread.pop(), self.name("z")
                self.used.add("mix")
                self.add(f"{result} = mix({a}, {b}) in {self.name('n')}", [result], [a, b], 1)
                unread.append(result)
                pool.append(result)
        last, terms = pool[-1], []
        if token:
            kind = "tied" if self.flip(0.3) else "head"
            self.used.add(kind)
            self.add(f"logits = {kind}({last})", ["logits"], [last], 1)
            terms.append(("mean[b, s](cross_entropy[v](logits[b, s, v], next[b, s]))", "logits"))
        else:
            terms.append((f"mean[b, s, d]({last}[b, s, d] * {last}[b, s, d])", last))
        for value in self.random.sample(pool, min(len(pool), self.random.choice([0, 0, 1, 2]))):
            terms.append((f"0.1 * mean[b, s, d]({value}[b, s, d] * {value}[b, s, d])", value))
        # The terms in one line, or each in its own.
        if self.flip(0.5):
            self.add("loss = " + " + ".join(text for text, _ in terms), ["loss"], {name for _, name in terms})
        else:
            names = [self.name("l") for _ in terms]
            for (text, name), term in zip(terms, names):
                self.add(f"{term} = {text}", [term], [name])
            self.add("loss = " + " + ".join(names), ["loss"], names)
        # What infer gives: something of the middle, or nothing that trains.
        self.output = self.random.choice([name for name in pool if name != first] or [None]) if self.flip(0.7) else None

    def ordered(self, draw):
        """The lines in an order that keeps each behind those that it reads."""
        left, known, order = list(self.lines), set(), []
        made = set().union(*(line.makes for line in self.lines))
        while left:
            ready = [line for line in left if line.reads & made <= known]
            line = draw.choice(ready)
            left.remove(line)
            known |= line.makes
            order.append(line)
        return order

    def text(self, draw=None):
        lines = self.ordered(draw) if draw else self.lines
        header = ", ".join(f"{v.name}: i32[B, S]" for v in self.indices) or "x[B, S, D]"
        outputs = f"loss, {self.output}[B, S, D]" if self.output else "loss"
        layers = []
        for kind, (others, body) in LAYERS.items():
            if kind in self.used:
                inner = "\n".join(f"  {line}" for line in body.split("\n"))
                layers.append(f"layer {kind}({', '.join(('x[B, S, D]', *others))}) -> y[B, S, D] {{\n{inner}\n}}\n")
        layers += [text for kind, text in OTHERS.items() if kind in self.used]
        return "\n".join(["use std.nn", "dim " + ", ".join(f"{name} = {extent}" for name, extent in self.dims.items()), "batch B", *HEAD,
                          "".join(layers) + f"model m({header}) -> {outputs} {{",
                          *(f"  {line.text}" for line in lines), "}", ""])


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    print(Layered(int(sys.argv[1])).text(), end="")
