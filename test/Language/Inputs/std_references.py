"""What each function of the standard library gives, element by element, in plain Python: from the papers and from what
PyTorch documents, not from the .ein files. An entry is CALL: (inputs, result shapes, references). An input is NAME: (type,
shape); a reference takes the inputs as functions of their indices and gives the element at some indices."""
import itertools
from math import cos, erf, exp, log, sin, sqrt, tanh


def sigmoid(x):
    return 1 / (1 + exp(-x))


def softmax(values):
    largest = max(values)
    weights = [exp(v - largest) for v in values]
    return [w / sum(weights) for w in weights]


def normal(x):
    return 0.5 * (1 + erf(x / sqrt(2)))


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def normalised(values, eps):
    values = list(values)
    u = mean(values)
    return [(v - u) / sqrt(mean((w - u) ** 2 for w in values) + eps) for v in values]


def softplus(x):
    return log(1 + exp(x))


def real(*shape):
    return ("real", shape)


def row(x, *before):
    """The last axis of 4."""
    return [x(*before, j) for j in range(4)]


def log_softmax(values):
    return [log(p) for p in softmax(values)]


def largest(values, count):
    """Where the largest are, the least of them first."""
    return sorted(range(len(values)), key=lambda i: values[i])[-count:]


def balance(scores, length, count):
    """Experts times the sum of the share of positions that choose one and its mean probability."""
    share = [mean(float(e in largest(scores(s), count)) for s in range(length)) for e in range(4)]
    return 4 * sum(share[e] * mean(softmax(scores(s))[e] for s in range(length)) for e in range(4))


EXPERTS = {"x": real(2, 5, 2), "z": real(2, 5, 4), "u": real(4, 2, 3), "w": real(4, 3, 3)}


def expert(x, u, w, b, s, e, o):
    hidden = [max(0, sum(x(b, s, d) * u(e, d, f) for d in range(2))) for f in range(3)]
    return sum(hidden[f] * w(e, f, o) for f in range(3))


def mixed(weights, experts, result):
    return sum(g * result(e) for g, e in zip(weights, experts))


NN = {
    "nonzero(z)": ({"z": real(5)}, [(5,)], [lambda z: lambda i: z(i) or 1]),
    "softmax(x)": ({"x": real(2, 3, 4)}, [(2, 3, 4)], [lambda x: lambda a, b, i: softmax(row(x, a, b))[i]]),
    "log_softmax(x)": ({"x": real(3, 4)}, [(3, 4)], [lambda x: lambda a, i: log_softmax(row(x, a))[i]]),
    "log_sum_exp_from_0(x)": ({"x": real(3, 4)}, [(3,)], [lambda x: lambda a: log(sum(map(exp, row(x, a))))]),
    "log_sum_exp(x)": ({"x": real(3, 4)}, [(3,)], [lambda x: lambda a: log(sum(map(exp, row(x, a))))]),
    "cross_entropy(x, t)": ({"x": real(3, 4), "t": ("i32", (3,), 4)}, [(3,)], [lambda x, t: lambda a: -log_softmax(row(x, a))[t(a)]]),
    "smoothed_cross_entropy(x, t; smoothing = 0.2)":
        ({"x": real(3, 4), "t": ("i32", (3,), 4)}, [(3,)],
         [lambda x, t: lambda a: -sum((0.2 / 4 + 0.8 * (i == t(a))) * l for i, l in enumerate(log_softmax(row(x, a))))]),
    "binary_cross_entropy(x, t)":
        ({"x": real(5), "t": ("unit", (5,))}, [(5,)],
         [lambda x, t: lambda a: -t(a) * log(sigmoid(x(a))) - (1 - t(a)) * log(1 - sigmoid(x(a)))]),
    "kl_divergence(x, p)":
        ({"x": real(3, 4), "p": real(3, 4)}, [(3,)],
         [lambda x, p: lambda a: sum(q * log(q / r) for q, r in zip(softmax(row(p, a)), softmax(row(x, a))))]),
    "weighted(p, x)": ({"p": real(5), "x": real(5)}, [(5,)], [lambda p, x: lambda i: p(i) * x(i)]),
    "squared_error(x, t)": ({"x": real(5), "t": real(5)}, [(5,)], [lambda x, t: lambda a: (x(a) - t(a)) ** 2]),
    "huber(x, t; delta = 0.5)":
        ({"x": real(9), "t": real(9)}, [(9,)],
         [lambda x, t: lambda a: (lambda e: 0.5 * e * e if e <= 0.5 else 0.5 * (e - 0.25))(abs(x(a) - t(a)))]),
    "masked_mean(x, m)":
        ({"x": real(3, 4), "m": ("zero-one", (3, 4))}, [()],
         [lambda x, m: lambda: sum(x(a, b) * m(a, b) for a in range(3) for b in range(4)) /
          max(1, sum(m(a, b) for a in range(3) for b in range(4)))]),
    "layer_norm(x, g, c; eps = 1e-3)":
        ({"x": real(3, 4), "g": real(4), "c": real(4)}, [(3, 4)],
         [lambda x, g, c: lambda a, i: normalised(row(x, a), 1e-3)[i] * g(i) + c(i)]),
    "rms_norm(x, g)":
        ({"x": real(3, 4), "g": real(4)}, [(3, 4)],
         [lambda x, g: lambda a, i: x(a, i) / sqrt(mean(v * v for v in row(x, a)) + 1e-5) * g(i)]),
    "unit_norm(x)": ({"x": real(3, 4)}, [(3, 4)], [lambda x: lambda a, i: x(a, i) / sqrt(sum(v * v for v in row(x, a)))]),
    "batch_norm(x, g, o)":
        ({"x": real(2, 5, 3), "g": real(3), "o": real(3)}, [(2, 5, 3)],
         [lambda x, g, o: lambda b, n, c: normalised((x(b, m, c) for m in range(5)), 1e-5)[n] * g(c) + o(c)]),
    "linear(x, w, b)":
        ({"x": real(2, 4), "w": real(4, 3), "b": real(3)}, [(2, 3)],
         [lambda x, w, b: lambda a, e: sum(x(a, d) * w(d, e) for d in range(4)) + b(e)]),
    "lora(x, w, a, b; scale = 0.5)":
        ({"x": real(2, 4), "w": real(4, 3), "a": real(4, 2), "b": real(2, 3)}, [(2, 3)],
         [lambda x, w, a, b: lambda n, e: sum(x(n, d) * (w(d, e) + 0.5 * sum(a(d, r) * b(r, e) for r in range(2))) for d in range(4))]),
    "embedding(w, t)": ({"w": real(4, 3), "t": ("i32", (2, 5), 4)}, [(2, 5, 3)], [lambda w, t: lambda a, b, d: w(t(a, b), d)]),
    "accuracy(x, t)":
        ({"x": real(9, 4), "t": ("i32", (9,), 4)}, [(9,)], [lambda x, t: lambda a: float(max(range(4), key=lambda i: x(a, i)) == t(a))]),
    "top_gates(x; K = 2)":
        ({"x": real(5, 4)}, [(5, 4)],
         [lambda x: lambda a, e: exp(x(a, e)) / sum(map(exp, sorted(row(x, a))[-2:])) if x(a, e) in sorted(row(x, a))[-2:] else 0]),
    "switch_gates(x)":
        ({"x": real(5, 4)}, [(5, 4)], [lambda x: lambda a, e: softmax(row(x, a))[e] if x(a, e) == max(row(x, a)) else 0]),
    "load_balance(z)": ({"z": real(2, 5, 4)}, [(2,)], [lambda z: lambda b: balance(lambda s: row(z, b, s), 5, 1)]),
    "load_balance(z; K = 2)": ({"z": real(2, 5, 4)}, [(2,)], [lambda z: lambda b: balance(lambda s: row(z, b, s), 5, 2)]),
    "mixture(x, z, u, w)":
        (EXPERTS, [(2, 5, 3)],
         [lambda x, z, u, w: lambda b, s, o: mixed(softmax(sorted(row(z, b, s))[-2:]), largest(row(z, b, s), 2),
                                                   lambda e: expert(x, u, w, b, s, e, o))]),
    "switch_mixture(x, z, u, w)":
        (EXPERTS, [(2, 5, 3)],
         [lambda x, z, u, w: lambda b, s, o: mixed([max(softmax(row(z, b, s)))], largest(row(z, b, s), 1),
                                                   lambda e: expert(x, u, w, b, s, e, o))]),
    "expert_choice_mixture(x, z, u, w; K = 2)":
        (EXPERTS, [(2, 5, 3)],
         [lambda x, z, u, w: lambda b, s, o: sum(
             softmax(row(z, b, s))[e] * expert(x, u, w, b, s, e, o)
             for e in range(4) if s in largest([softmax(row(z, b, t))[e] for t in range(5)], 2))]),
    "gelu(x)": ({"x": real(9)}, [(9,)], [lambda x: lambda i: x(i) * normal(x(i))]),
    "gelu_tanh(x)": ({"x": real(9)}, [(9,)],
                     [lambda x: lambda i: 0.5 * x(i) * (1 + tanh(sqrt(2 / 3.141592653589793) * (x(i) + 0.044715 * x(i) ** 3)))]),
    "silu(x)": ({"x": real(9)}, [(9,)], [lambda x: lambda i: x(i) * sigmoid(x(i))]),
    "leaky_relu(x; slope = 0.1)": ({"x": real(9)}, [(9,)], [lambda x: lambda i: max(x(i), 0) + 0.1 * min(x(i), 0)]),
    "elu(x; alpha = 2)": ({"x": real(9)}, [(9,)], [lambda x: lambda i: x(i) if x(i) > 0 else 2 * (exp(x(i)) - 1)]),
    "softplus(x)": ({"x": real(9)}, [(9,)], [lambda x: lambda i: softplus(x(i))]),
    "log_sigmoid(x)": ({"x": real(9)}, [(9,)], [lambda x: lambda i: log(sigmoid(x(i)))]),
    "mish(x)": ({"x": real(9)}, [(9,)], [lambda x: lambda i: x(i) * tanh(softplus(x(i)))]),
    "glu(g, x)": ({"g": real(9), "x": real(9)}, [(9,)], [lambda g, x: lambda i: sigmoid(g(i)) * x(i)]),
    "reglu(g, x)": ({"g": real(9), "x": real(9)}, [(9,)], [lambda g, x: lambda i: max(g(i), 0) * x(i)]),
    "geglu(g, x)": ({"g": real(9), "x": real(9)}, [(9,)], [lambda g, x: lambda i: g(i) * normal(g(i)) * x(i)]),
    "swiglu(g, x)": ({"g": real(9), "x": real(9)}, [(9,)], [lambda g, x: lambda i: g(i) * sigmoid(g(i)) * x(i)]),
    "dropout(x; rate = 0.3)": ({"x": real(9)}, [(9,)], [lambda x: lambda i: x(i)]),  # nothing is trained here
}


def attended(q, r, v, at, length, keep=lambda s, t: True, score=lambda s, t: 0):
    """One query's mean of values; q, r and v are rows by position, of 4 elements each."""
    kept = [t for t in range(length) if keep(at, t)]
    weights = softmax([sum(a * b for a, b in zip(q(at), r(t))) / 2 + score(at, t) for t in kept]) if kept else []
    return [sum(w * v(t)[e] for w, t in zip(weights, kept)) for e in range(4)]


def rows(x, *before):
    return lambda s: row(x, *before, s)


def single(**how):
    """The reference of attention over q, r, v of a leading axis of 2."""
    return lambda q, r, v: lambda b, s, e: attended(rows(q, b), rows(r, b), rows(v, b), s, 6, **how)[e]


QRV = {"q": real(2, 6, 4), "r": real(2, 6, 4), "v": real(2, 6, 4)}
HEADS = {"q": real(2, 4, 5, 4), "r": real(2, 4, 5, 4), "v": real(2, 4, 5, 4)}


def gated(q, r, v, c):
    def at(b, s, e):
        p = softmax([sum(x * y for x, y in zip(row(q, b, s), row(r, b, t))) / 2 for t in range(6)])
        n = sum(c(b, s, t) for t in range(6))
        p = [0.7 * w + 0.3 * c(b, s, t) / n for t, w in enumerate(p)] if n else p
        return sum(w * v(b, t, e) for t, w in enumerate(p))
    return at


def turned(x, b, s, d, pair):
    """Rotary positions: the pair of elements that d belongs to, turned by the position's angle."""
    first, second, k = pair(d)
    angle = s * 10000 ** (-2 * k / 4)
    if d == first:
        return x(b, s, first) * cos(angle) - x(b, s, second) * sin(angle)
    return x(b, s, second) * cos(angle) + x(b, s, first) * sin(angle)


def lstm(x, w, u, b, at):
    h, c = [0] * 3, [0] * 3
    for t in range(at + 1):
        z = [[sum(x(t, d) * w(g, d, e) for d in range(2)) + b(g, e) + sum(h[k] * u(g, k, e) for k in range(3)) for e in range(3)]
             for g in range(4)]
        c = [sigmoid(z[1][e]) * c[e] + sigmoid(z[0][e]) * tanh(z[2][e]) for e in range(3)]
        h = [sigmoid(z[3][e]) * tanh(c[e]) for e in range(3)]
    return h


def gru(x, w, u, b, o, at):
    h = [0] * 3
    for t in range(at + 1):
        a = [[sum(x(t, d) * w(g, d, e) for d in range(2)) + b(g, e) for e in range(3)] for g in range(3)]
        z = [[sum(h[k] * u(g, k, e) for k in range(3)) + o(g, e) for e in range(3)] for g in range(3)]
        n = [tanh(a[2][e] + sigmoid(a[0][e] + z[0][e]) * z[2][e]) for e in range(3)]
        l = [sigmoid(a[1][e] + z[1][e]) for e in range(3)]
        h = [(1 - l[e]) * n[e] + l[e] * h[e] for e in range(3)]
    return h


def bucket(distance, buckets, far):
    """The largest bucket whose first distance is not beyond this one."""
    exact = buckets // 2
    firsts = list(range(exact)) + [exact * (far / exact) ** (i / (buckets - exact)) for i in range(buckets - exact)]
    return max(i for i, first in enumerate(firsts) if first <= distance + 1e-9)


def scanned(x, a, b, at, d):
    h = 0
    for t in range(at + 1):
        h = a(b, t, d) * h + x(b, t, d)
    return h


CELL = {name: real(5) for name in "ifgoc"}


def new_state(i, f, g, c):
    return sigmoid(f) * c + sigmoid(i) * tanh(g)


SEQ = {
    "attention(q, r, v)": (QRV, [(2, 6, 4)], [single()]),
    "attention(q, r, v; CAUSAL = 1)": (QRV, [(2, 6, 4)], [single(keep=lambda s, t: t <= s)]),
    "attention(q, r, v; WINDOW = 2)": (QRV, [(2, 6, 4)], [single(keep=lambda s, t: s - 2 < t <= s)]),
    "grouped_attention(q, r, v; CAUSAL = 1)":
        ({"q": real(2, 4, 5, 4), "r": real(2, 2, 5, 4), "v": real(2, 2, 5, 4)}, [(2, 4, 5, 4)],
         [lambda q, r, v: lambda b, h, s, e: attended(rows(q, b, h), rows(r, b, h // 2), rows(v, b, h // 2), s, 5, lambda s, t: t <= s)[e]]),
    "block_attention(q, r, v; BLOCK = 3, CAUSAL = 1)": (QRV, [(2, 6, 4)], [single(keep=lambda s, t: s // 3 == t // 3 and t <= s)]),
    "strided_attention(q, r, v; STRIDE = 2)": (QRV, [(2, 6, 4)], [single(keep=lambda s, t: (s - t) % 2 == 0)]),
    "global_local_attention(q, r, v; WINDOW = 1)":
        (QRV, [(2, 6, 4)], [single(keep=lambda s, t: s == 0 or t == 0 or abs(s - t) <= 1)]),
    "biased_attention(q, r, v, b; CAUSAL = 1)":
        ({**QRV, "b": real(2, 6, 6)}, [(2, 6, 4)],
         [lambda q, r, v, b: lambda n, s, e: attended(rows(q, n), rows(r, n), rows(v, n), s, 6, lambda s, t: t <= s,
                                                      lambda s, t: b(n, s, t))[e]]),
    "alibi_attention(q, r, v)":
        (HEADS, [(2, 4, 5, 4)],
         [lambda q, r, v: lambda b, h, s, e: attended(rows(q, b, h), rows(r, b, h), rows(v, b, h), s, 5, lambda s, t: t <= s,
                                                      lambda s, t: -(s - t) / 2 ** (2 * (h + 1)))[e]]),
    "relative_bias(w, q, r)":
        ({"w": real(2, 5), "q": real(6, 4), "r": real(7, 4)}, [(2, 6, 7)],
         [lambda w, q, r: lambda h, s, t: w(h, min(max(t - s, -2), 2) + 2)]),
    "bucketed_bias(w, q, r; FAR = 16)":
        ({"w": real(8, 2), "q": real(20, 4), "r": real(21, 4)}, [(2, 20, 21)],
         [lambda w, q, r: lambda h, s, t: w(bucket(abs(t - s), 4, 16) + 4 * (t > s), h)]),
    "bucketed_bias(w, q, r; CAUSAL = 1, FAR = 16)":
        ({"w": real(8, 2), "q": real(20, 4), "r": real(21, 4)}, [(2, 20, 21)],
         [lambda w, q, r: lambda h, s, t: w(bucket(max(s - t, 0), 8, 16), h)]),
    "hard_rule_attention(q, r, v, c)":
        ({**QRV, "c": ("bool", (2, 6, 6))}, [(2, 6, 4)],
         [lambda q, r, v, c: lambda b, s, e: attended(rows(q, b), rows(r, b), rows(v, b), s, 6, lambda s, t: c(b, s, t))[e]]),
    "soft_rule_attention(q, r, v, c; strength = 3)":
        ({**QRV, "c": ("unit", (2, 6, 6))}, [(2, 6, 4)],
         [lambda q, r, v, c: lambda b, s, e: attended(rows(q, b), rows(r, b), rows(v, b), s, 6, score=lambda s, t: 3 * c(b, s, t))[e]]),
    "gated_rule_attention(q, r, v, c; weight = 0.3)": ({**QRV, "c": ("unit", (2, 6, 6))}, [(2, 6, 4)], [gated]),
    "sinusoidal(x)":
        ({"x": real(2, 5, 4)}, [(2, 5, 4)],
         [lambda x: lambda b, s, d: x(b, s, d) + (cos if d % 2 else sin)(s / 10000 ** ((d - d % 2) / 4))]),
    "learned_positions(x, w)": ({"x": real(2, 5, 4), "w": real(5, 4)}, [(2, 5, 4)], [lambda x, w: lambda b, s, d: x(b, s, d) + w(s, d)]),
    "rope(x)": ({"x": real(2, 5, 4)}, [(2, 5, 4)],
                [lambda x: lambda b, s, d: turned(x, b, s, d, lambda d: (d % 2, d % 2 + 2, d % 2))]),
    "rope_pairs(x)": ({"x": real(2, 5, 4)}, [(2, 5, 4)],
                      [lambda x: lambda b, s, d: turned(x, b, s, d, lambda d: (d - d % 2, d - d % 2 + 1, d // 2))]),
    "lstm_cell(i, f, g, o, c)":
        (CELL, [(5,), (5,)],
         [lambda i, f, g, o, c: lambda n: sigmoid(o(n)) * tanh(new_state(i(n), f(n), g(n), c(n))),
          lambda i, f, g, o, c: lambda n: new_state(i(n), f(n), g(n), c(n))]),
    "gru_cell(r, z, a, u, h)":
        ({name: real(5) for name in "rzauh"}, [(5,)],
         [lambda r, z, a, u, h: lambda n: (1 - sigmoid(z(n))) * tanh(a(n) + sigmoid(r(n)) * u(n)) + sigmoid(z(n)) * h(n)]),
    "lstm(x, w, u, b)":
        ({"x": real(2, 4, 2), "w": real(4, 2, 3), "u": real(4, 3, 3), "b": real(4, 3)}, [(2, 4, 3)],
         [lambda x, w, u, b: lambda n, t, e: lstm(lambda *at: x(n, *at), w, u, b, t)[e]]),
    "gru(x, w, u, b, o)":
        ({"x": real(2, 4, 2), "w": real(3, 2, 3), "u": real(3, 3, 3), "b": real(3, 3), "o": real(3, 3)}, [(2, 4, 3)],
         [lambda x, w, u, b, o: lambda n, t, e: gru(lambda *at: x(n, *at), w, u, b, o, t)[e]]),
    "linear_scan(x, a)":
        ({"x": real(2, 7, 3), "a": real(2, 7, 3)}, [(2, 7, 3)], [lambda x, a: lambda b, t, d: scanned(x, a, b, t, d)]),
    "causal_conv(x, w)":
        ({"x": real(2, 6, 3), "w": real(3, 4)}, [(2, 6, 3)],
         [lambda x, w: lambda b, t, d: sum(x(b, t - ago, d) * w(d, 3 - ago) for ago in range(min(t + 1, 4)))]),
    "selective_scan(x, e, a, b, c)":
        ({"x": real(2, 4, 3), "e": ("unit", (2, 4, 3)), "a": real(3, 2), "b": real(2, 4, 2), "c": real(2, 4, 2)}, [(2, 4, 3)],
         [lambda x, e, a, b, c: lambda m, t, d: sum(
             c(m, t, n) * sum(exp(a(d, n) * sum(e(m, i, d) for i in range(now + 1, t + 1))) * e(m, now, d) * x(m, now, d) * b(m, now, n)
                              for now in range(t + 1)) for n in range(2))]),
}


def image(x, c, i, j):
    """Two by two elements."""
    return [x(c, 2 * i + p, 2 * j + q) for p in range(2) for q in range(2)]


def between(values, at, factor):
    """The value at output position `at`, linear between the middles of `values`."""
    source = (at + 0.5) / factor - 0.5
    low = int(source // 1)
    part = source - low
    last = len(values) - 1
    return (1 - part) * values[max(low, 0)] + part * values[min(low + 1, last)]


def group_normalised(x, n, c, i, j):
    group = [(d, a, b) for d in range(c // 2 * 2, c // 2 * 2 + 2) for a in range(2) for b in range(3)]
    return normalised((x(n, *at) for at in group), 1e-5)[group.index((c, i, j))]


def batch_normalised(x, n, c, i, j):
    all_of = [(m, a, b) for m in range(3) for a in range(2) for b in range(2)]
    return normalised((x(m, c, a, b) for m, a, b in all_of), 1e-5)[all_of.index((n, i, j))]


def correlated(x, w, channels, window, at, stride, pad, shape, dilation=1):
    """A sum over channels and a window of what is there."""
    total = 0
    for c in channels:
        for p in itertools.product(*map(range, window)):
            place = [stride * a + dilation * d - pad for a, d in zip(at, p)]
            if all(0 <= i < extent for i, extent in zip(place, shape)):
                total += x(c, *place) * w(c, *p)
    return total


def spread(x, w, n, o, a, b, stride, pad):
    """What reaches an element of a transposed convolution."""
    return sum(x(n, c, i, j) * w(c, o, a + pad - stride * i, b + pad - stride * j)
               for c in range(3) for i in range(2) for j in range(3)
               if 0 <= a + pad - stride * i < (4 if stride == 2 else 3) and 0 <= b + pad - stride * j < (4 if stride == 2 else 2))


def seen(i, j, size, stride, pad, rows, columns):
    """The elements of an image under a window."""
    return [(a, b) for a in range(stride * i - pad, stride * i - pad + size) for b in range(stride * j - pad, stride * j - pad + size)
            if 0 <= a < rows and 0 <= b < columns]


VISION = {
    "conv1d(x, w; STRIDE = 2, PAD = 1, DILATION = 2)":
        ({"x": real(2, 3, 9), "w": real(4, 3, 3)}, [(2, 4, 4)],
         [lambda x, w: lambda n, o, a: correlated(lambda *at: x(n, *at), lambda *at: w(o, *at), range(3), (3,), (a,), 2, 1, (9,), 2)]),
    "conv2d(x, w)":
        ({"x": real(2, 3, 5, 6), "w": real(4, 3, 3, 2)}, [(2, 4, 3, 5)],
         [lambda x, w: lambda n, o, a, b: correlated(lambda *at: x(n, *at), lambda *at: w(o, *at), range(3), (3, 2), (a, b), 1, 0, (5, 6))]),
    "conv2d(x, w; STRIDE = 2, PAD = 1)":
        ({"x": real(2, 3, 5, 6), "w": real(4, 3, 3, 3)}, [(2, 4, 3, 3)],
         [lambda x, w: lambda n, o, a, b: correlated(lambda *at: x(n, *at), lambda *at: w(o, *at), range(3), (3, 3), (a, b), 2, 1, (5, 6))]),
    "depthwise_conv2d(x, w; PAD = 1)":
        ({"x": real(2, 3, 5, 6), "w": real(3, 3, 3)}, [(2, 3, 5, 6)],
         [lambda x, w: lambda n, c, a, b: correlated(lambda _, *at: x(n, c, *at), lambda _, *at: w(c, *at), [0], (3, 3), (a, b), 1, 1, (5, 6))]),
    "grouped_conv2d(x, w; STRIDE = 2, PAD = 1)":
        ({"x": real(2, 4, 5, 6), "w": real(6, 2, 3, 3)}, [(2, 6, 3, 3)],
         [lambda x, w: lambda n, o, a, b: correlated(lambda c, *at: x(n, o // 3 * 2 + c, *at), lambda *at: w(o, *at), range(2), (3, 3),
                                                     (a, b), 2, 1, (5, 6))]),
    "conv3d(x, w; STRIDE = 2, PAD = 1)":
        ({"x": real(2, 2, 3, 5, 4), "w": real(3, 2, 3, 3, 2)}, [(2, 3, 2, 3, 3)],
         [lambda x, w: lambda n, o, *to: correlated(lambda *at: x(n, *at), lambda *at: w(o, *at), range(2), (3, 3, 2), to, 2, 1, (3, 5, 4))]),
    "conv_transpose1d(x, w; STRIDE = 2, PAD = 1)":
        ({"x": real(2, 3, 5), "w": real(3, 4, 4)}, [(2, 4, 10)],
         [lambda x, w: lambda n, o, a: sum(x(n, c, i) * w(c, o, p) for c in range(3) for i in range(5) for p in range(4)
                                           if 2 * i + p - 1 == a)]),
    "conv_transpose2d(x, w)":
        ({"x": real(2, 3, 2, 3), "w": real(3, 2, 3, 2)}, [(2, 2, 4, 4)], [lambda x, w: lambda n, o, a, b: spread(x, w, n, o, a, b, 1, 0)]),
    "conv_transpose2d(x, w; STRIDE = 2, PAD = 1)":
        ({"x": real(2, 3, 2, 3), "w": real(3, 2, 4, 4)}, [(2, 2, 4, 6)], [lambda x, w: lambda n, o, a, b: spread(x, w, n, o, a, b, 2, 1)]),
    "max_pool(x; K = 3, STRIDE = 2, PAD = 1)":
        ({"x": real(3, 5, 6)}, [(3, 3, 3)],
         [lambda x: lambda c, i, j: max(x(c, a, b) for a, b in seen(i, j, 3, 2, 1, 5, 6))]),
    "mean_pool(x; K = 3, STRIDE = 2, PAD = 1)":
        ({"x": real(3, 5, 6)}, [(3, 3, 3)],
         [lambda x: lambda c, i, j: sum(x(c, a, b) for a, b in seen(i, j, 3, 2, 1, 5, 6)) / 9]),
    "max_pool(x)": ({"x": real(3, 4, 6)}, [(3, 2, 3)], [lambda x: lambda c, i, j: max(image(x, c, i, j))]),
    "mean_pool(x)": ({"x": real(3, 4, 6)}, [(3, 2, 3)], [lambda x: lambda c, i, j: mean(image(x, c, i, j))]),
    "global_mean_pool(x)": ({"x": real(2, 3, 4)}, [(2,)], [lambda x: lambda c: mean(x(c, i, j) for i in range(3) for j in range(4))]),
    "upsample_nearest(x; K = 3)": ({"x": real(2, 2, 3)}, [(2, 6, 9)], [lambda x: lambda c, i, j: x(c, i // 3, j // 3)]),
    "upsample_linear(x; K = 2)":
        ({"x": real(2, 3, 4)}, [(2, 6, 8)],
         [lambda x: lambda c, i, j: between([between([x(c, a, b) for a in range(3)], i, 2) for b in range(4)], j, 2)]),
    "upsample_linear(x; K = 3)":
        ({"x": real(2, 3, 4)}, [(2, 9, 12)],
         [lambda x: lambda c, i, j: between([between([x(c, a, b) for a in range(3)], i, 3) for b in range(4)], j, 3)]),
    "patches(x; P = 2)":
        ({"x": real(1, 3, 4, 6)}, [(1, 6, 12)],
         [lambda x: lambda n, p, e: x(n, e // 4, p // 3 * 2 + e % 4 // 2, p % 3 * 2 + e % 2)]),
    "pixel_shuffle(x)":
        ({"x": real(8, 2, 3)}, [(2, 4, 6)], [lambda x: lambda c, i, j: x(4 * c + 2 * (i % 2) + j % 2, i // 2, j // 2)]),
    "batch_norm_2d(x, g, o)":
        ({"x": real(2, 3, 2, 2, 2), "g": real(2), "o": real(2)}, [(2, 3, 2, 2, 2)],
         [lambda x, g, o: lambda b, n, c, i, j: batch_normalised(lambda *at: x(b, *at), n, c, i, j) * g(c) + o(c)]),
    "kept_norm_2d(x, m, v, g, o)":
        ({"x": real(2, 3, 2, 2), "m": real(3), "v": ("unit", (3,)), "g": real(3), "o": real(3)}, [(2, 3, 2, 2)],
         [lambda x, m, v, g, o: lambda n, c, i, j: (x(n, c, i, j) - m(c)) / sqrt(v(c) + 1e-5) * g(c) + o(c)]),
    "instance_norm(x)":
        ({"x": real(2, 3, 3, 2)}, [(2, 3, 3, 2)],
         [lambda x: lambda n, c, i, j: normalised((x(n, c, a, b) for a in range(3) for b in range(2)), 1e-5)[2 * i + j]]),
    "channel_dropout(x)": ({"x": real(2, 3, 2, 2)}, [(2, 3, 2, 2)], [lambda x: lambda n, c, i, j: x(n, c, i, j)]),  # nothing is trained here
    "group_norm(x, g, o; GROUPS = 2)":
        ({"x": real(2, 4, 2, 3), "g": real(4), "o": real(4)}, [(2, 4, 2, 3)],
         [lambda x, g, o: lambda n, c, i, j: group_normalised(x, n, c, i, j) * g(c) + o(c)]),
}


def elementwise(function):
    return lambda *tensors: lambda n: function(*(x(n) for x in tensors))


def over(function):
    return lambda x: lambda n: function([x(n, i) for i in range(4)])


def product(values):
    result = 1
    for value in values:
        result *= value
    return result


def logic(kind, pair, binary, whole):
    """The six functions of a semantics: of pairs, and over the last axis."""
    operations, quantifiers = binary, whole
    entries = {f"{name}_{kind}(a, b)": ({"a": pair, "b": pair}, [(16,)], [elementwise(f)]) for name, f in operations.items()}
    entries[f"not_{kind}(a)"] = ({"a": pair}, [(16,)], [elementwise((lambda a: not a) if kind == "boolean" else (lambda a: 1 - a))])
    for name, f in quantifiers.items():
        entries[f"{name}_{kind}(x)"] = ({"x": (pair[0], (16, 4))}, [(16,)], [over(f)])
    return entries


UNIT = ("unit", (16,))
LOGIC = {
    **logic("boolean", ("bool", (16,)),
            {"and": lambda a, b: bool(a and b), "or": lambda a, b: bool(a or b), "implies": lambda a, b: bool(b or not a)},
            {"exists": any, "forall": all}),
    **logic("product", UNIT,
            {"and": lambda a, b: a * b, "or": lambda a, b: 1 - (1 - a) * (1 - b), "implies": lambda a, b: min(1, b / a)},
            {"exists": lambda v: 1 - product(1 - x for x in v), "forall": product}),
    **logic("godel", UNIT, {"and": min, "or": max, "implies": lambda a, b: 1 if a <= b else b}, {"exists": max, "forall": min}),
    **logic("lukasiewicz", UNIT,
            {"and": lambda a, b: max(0, a + b - 1), "or": lambda a, b: min(1, a + b), "implies": lambda a, b: min(1, 1 - a + b)},
            {"exists": lambda v: min(1, sum(v)), "forall": lambda v: max(0, sum(v) - 3)}),
}

LIBRARIES = {"std.nn": NN, "std.seq": SEQ, "std.vision": VISION, "std.logic": LOGIC}
