"""Factors of every kind of number, and their sums in pairs by another road: exact products and rationals.

write M K N TYPE writes x.npy and w.npy and their transposes, of numbers of bf16 or f16; check M K N TYPE FILE compares some of x w in FILE
with what the definition gives (docs/numerics.md)."""
import sys
from fractions import Fraction

import numpy as np

LEAST = Fraction(1, 1 << 126)


def flush(x):
    x = np.float32(x)
    return np.copysign(np.float32(0), x) if abs(x) < np.float32(2.0**-126) else x


def rounded(exact):
    """To nearest even with 24 bits however small, then a zero of its sign below 2^-126."""
    sign, magnitude = (-1.0 if exact < 0 else 1.0), abs(exact)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    while magnitude < Fraction(2) ** exponent:
        exponent -= 1
    step = Fraction(2) ** (exponent - 23)
    value = round(magnitude / step) * step  # to even
    if value < LEAST:
        return np.float32(np.copysign(0.0, sign))
    return np.float32(sign * (np.inf if value >= Fraction(2) ** 128 else float(value)))


def fma(a, b, c):
    a, b, c = flush(a), flush(b), flush(c)
    exact = all(map(np.isfinite, (a, b, c))) and Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    # Zeros, infinities and NaN are what doubles make of them.
    return rounded(exact) if exact else np.float32(np.float64(a) * np.float64(b) + np.float64(c))


def add(a, b):
    return flush(flush(a) + flush(b))


def dot(a, b):
    total, count = np.float32(0), len(a) + -len(a) % 32
    a, b = (np.concatenate([each, np.zeros(count - len(each), np.float32)]) for each in (a, b))
    for first in range(0, count, 32):
        even = odd = np.float32(0)
        for k in range(first, first + 32, 2):
            even, odd = fma(a[k], b[k], even), fma(a[k + 1], b[k + 1], odd)
        total = add(total, add(even, odd))
    return total


def narrow(x, to):
    x = x.astype(np.float32)
    if to == "f16":
        with np.errstate(over="ignore"):
            return x.astype(np.float16).astype(np.float32)
    bits = x.view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)


def vectors(rng, count, length, to):
    """Ordinary ones, of far exponents, whose products are about 2^-126, subnormal ones, cancelling ones, and with overflow."""
    f16 = to == "f16"
    kinds = []
    for low, high in [(0, 1), (-20, 12) if f16 else (-70, 55), (-14, -8) if f16 else (-66, -60), (-24, -14) if f16 else (-134, -120)]:
        kinds.append(lambda low=low, high=high: np.ldexp(rng.standard_normal(length), rng.integers(low, high, length)))
    kinds.append(lambda: rng.integers(-3, 4, length) * 2.0 ** (-20 if f16 else -63))
    kinds.append(lambda: np.where(rng.random(length) < 0.02, np.inf, np.ldexp(rng.standard_normal(length), rng.integers(8, 15, length) if f16 else rng.integers(55, 64, length))) * (rng.random(length) < 0.9))
    with np.errstate(invalid="ignore"):
        return narrow(np.nan_to_num(np.stack([kinds[i % len(kinds)]() for i in range(count)]), nan=0.0, posinf=np.inf), to)


def main():
    verb, m, k, n, to = sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5]
    rng = np.random.default_rng([m, k, n])
    x, w = vectors(rng, m, k, to), np.ascontiguousarray(vectors(rng, n, k, to).T)
    if verb == "write":
        for name, values in (("x", x), ("w", w), ("xt", x.T), ("wt", w.T)):
            np.save(name + ".npy", np.ascontiguousarray(values))
        return
    found, tried = np.load(sys.argv[6]), 150
    np.seterr(all="ignore")
    for cell in rng.permutation(m * n)[:tried]:
        i, j = divmod(int(cell), n)
        expected = dot(x[i], w[:, j])
        assert expected.tobytes() == found[i, j].tobytes() or np.isnan(expected) and np.isnan(found[i, j]), (i, j, expected, found[i, j])
    kinds = [np.isnan(found), np.isinf(found), found == 0, np.abs(found) < 1e-36]
    print(f"{min(tried, m * n)} sums are right; of all {', '.join(str(int(kind.sum() > 0)) for kind in kinds)}: NaN, infinite, 0, tiny")


if __name__ == "__main__":
    main()
