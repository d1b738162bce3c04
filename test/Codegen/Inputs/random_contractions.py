"""Prints bodies with one contraction each: shapes with edges, sums from 1 to 1000, every order of axes, accumulators.

usage: random_contractions.py COUNT TYPE    (bf16 or f16: of factors, whose sums are of f32, in pairs)"""
import random
import sys

count, element = int(sys.argv[1]), sys.argv[2]
draws = random.Random(7)
sums = [1, 2, 3, 15, 16, 17, 44, 63, 64, 65, 255, 256, 257, 300, 511, 512, 513, 767, 768, 1000]
edges = [1, 2, 3, 5, 6, 7, 8, 12, 15, 16, 17, 24, 31, 32, 33, 47, 48, 49, 63, 64, 65, 80, 100, 127, 128, 129, 200, 260]


narrow = element in ("bf16", "f16")


def tensor(dims, extents, of="f32" if narrow else element):
    return "tensor<" + "".join(f"{extents[dim]}x" for dim in dims) + of + ">"


def access(dims, names):
    return f"affine_map<({', '.join(names)}) -> ({', '.join(names[dim] for dim in dims)})>"


def body(number):
    # Dimensions 0..: batch, m (one or two), n, k (one or two).
    batch, twoRows, twoSums = draws.random() < 0.3, draws.random() < 0.2, draws.random() < 0.2
    extents = [draws.choice([2, 3]) for _ in range(batch)]
    m = [len(extents) + i for i in range(1 + twoRows)]
    extents += [draws.choice(edges[:12]) for _ in range(twoRows)] + [draws.choice(edges)]
    n = [len(extents)]
    extents.append(draws.choice(edges))
    k = [len(extents) + i for i in range(1 + twoSums)]
    extents += [draws.choice([2, 3]) for _ in range(twoSums)] + [sums[number % len(sums)]]
    if extents[-1] > 300 and extents[m[-1]] * extents[n[0]] > 20000:
        extents[n[0]] = 65
    shared = [0] if batch else []
    operands = [shared + m + k, shared + k + n, shared + m + n]
    for dims in operands:
        draws.shuffle(dims)
    names = [f"d{i}" for i in range(len(extents))]
    maps = ", ".join(access(dims, names) for dims in operands)
    a, b, c = (tensor(dims, extents) for dims in operands)
    order = [dim for dim in operands[0] if dim in k]
    accumulates = draws.random() < 0.4
    into, argument, attributes = (f" into %c : {c}", f", %c: {c}", " attributes {num_accumulators = 1 : i64}") \
        if accumulates else ("", "", "")
    held, factors, casts, pairs = (a, b), ("%a", "%b"), "", ""
    if narrow:
        held, factors, pairs = [tensor(dims, extents, element) for dims in operands[:2]], ("%wa", "%wb"), " pairs"
        casts = "".join(f"  %w{name} = ein.cast %{name} : ({of}) -> {to}\n" for name, of, to in zip("ab", held, (a, b)))
    print(f"""ein.func @product_{number}(%a: {held[0]}, %b: {held[1]}{argument}) -> {c}{attributes} {{
{casts}  %d = ein.contract {factors[0]}, {factors[1]} over {extents} maps [{maps}] order {order}{pairs}{into} : ({a}, {b}) -> {c}
  ein.return %d : {c}
}}""")


for number in range(count):
    body(number)
