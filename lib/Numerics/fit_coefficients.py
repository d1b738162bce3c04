#!/usr/bin/env python3
"""Fits the polynomials of include/plc/Numerics (needs mpmath).

Each fit is a weighted minimax approximation by Remez exchange: the maximum of |weight(x) (P(v(x)) - f(x))| over
[a, b]. Coefficients are then rounded to the element type: all at once, or one by one, lowest first, fitting the others
again so that they make the rounding good. The better result is printed. Usage: fit_coefficients.py [NAME...]
"""
import sys
from mpmath import mp, mpf as M, exp, log, tanh, erf, erfc, atanh, lu_solve, matrix, sin, cos, tan, pi, nstr, sqrt

mp.dps = 100


def horner(coefficients, v):
    result = M(0)
    for c in reversed(coefficients):
        result = result * v + c
    return result


def remez(f, weight, v, a, b, terms, fixed):
    """Coefficients of P, the first len(fixed) of them given, and the largest weighted error."""
    free = terms - len(fixed)
    rest = lambda x: (f(x) - horner(fixed, v(x))) / v(x) ** len(fixed) if fixed else f(x)
    scale = lambda x: weight(x) * v(x) ** len(fixed)
    points = [(a + b) / 2 - (b - a) / 2 * cos(pi * (i + M(1) / 2) / (free + 1)) for i in range(free + 1)]
    grid = [a + (b - a) * M(i) / 1200 for i in range(1201)]
    values = [(x, v(x), rest(x), scale(x)) for x in grid if v(x) != 0]
    for _ in range(12):
        system = matrix(free + 1, free + 1)
        right = matrix(free + 1, 1)
        for i, x in enumerate(points):
            w = scale(x)
            for j in range(free):
                system[i, j] = v(x) ** j
            system[i, free] = (-1) ** i / w
            right[i] = rest(x)
        solution = lu_solve(system, right)
        coefficients = [solution[j] for j in range(free)]
        errors = [(s * (horner(coefficients, t) - r), x) for x, t, r, s in values]
        extrema = []
        for e, x in errors:
            if extrema and (e > 0) == (extrema[-1][0] > 0):
                if abs(e) > abs(extrema[-1][0]):
                    extrema[-1] = (e, x)
            else:
                extrema.append((e, x))
        while len(extrema) > free + 1:
            extrema.pop(0 if abs(extrema[0][0]) < abs(extrema[-1][0]) else -1)
        if len(extrema) < free + 1:
            break
        points = [x for _, x in extrema]
        sizes = [abs(e) for e, _ in extrema]
        if max(sizes) < min(sizes) * M("1.001"):
            break
    return list(fixed) + coefficients, max(abs(e) for e, _ in errors)


def rounded(x, bits):
    with_precision = mp.prec
    mp.prec = bits
    result = +x
    mp.prec = with_precision
    return result


def fit(name, bits, f, weight, v, a, b, terms):
    points = [M(a) + (M(b) - M(a)) * i / 1000 for i in range(1, 1000)]
    points = [x for x in points if abs(v(x)) > 1e-9]
    worst = lambda c: max(abs(weight(x) * (horner(c, v(x)) - f(x))) for x in points)
    coefficients, error = remez(f, weight, v, M(a), M(b), terms, [])
    at_once = [rounded(c, bits) for c in coefficients]
    one_by_one = at_once[:1]
    while len(one_by_one) < terms:
        coefficients, _ = remez(f, weight, v, M(a), M(b), terms, one_by_one)
        one_by_one.append(rounded(coefficients[len(one_by_one)], bits))
    found = min(at_once, one_by_one, key=worst)
    print(f"{name}: {terms} terms, 2^{nstr(log(error, 2), 4)}, rounded 2^{nstr(log(worst(found), 2), 4)}")
    print("     " + ", ".join(float(c).hex().replace("0000000p", "p") for c in found))


square = lambda x: x * x
same = lambda x: x
tiny = M("1e-2")
powerlog = lambda s: (2 * atanh(s) - 2 * s - 2 * s**3 / 3) / (2 * s**5)
oddlog = lambda s: (2 * atanh(s) - 2 * s) / s**3
normal = lambda x: erf(x / sqrt(M(2))) / 2 / x
normaltail = lambda k: lambda a: exp(a * a / 2) * erfc(a / sqrt(M(2))) / 2 * (a + k)
shifted = lambda k: lambda a: (a - k) / (a + k)

FITS = {
    "exp.f32": lambda n: fit(n, 24, lambda r: (exp(r) - 1 - r) / r**2, lambda r: r**2 / exp(r), same, "-0.3469", "0.34695", 5),
    "exp.f64": lambda n: fit(n, 53, lambda r: (exp(r) - 1 - r) / r**2, lambda r: r**2 / exp(r), same, "-0.3469", "0.34695", 10),
    "log.f32": lambda n: fit(n, 24, lambda r: (log(1 + r) - r + r**2 / 2) / r**3, lambda r: r**3 / log(1 + r), same, "-0.25", "0.50001", 9),
    "log.f64": lambda n: fit(n, 53, oddlog, lambda s: s**3 / (2 * atanh(s)), square, tiny, "0.17158", 8),
    "tanh.f32": lambda n: fit(n, 24, lambda x: (tanh(x) - x) / x**3, lambda x: x**3 / tanh(x), square, tiny, "0.6", 5),
    "tanh.f64": lambda n: fit(n, 53, lambda x: (tanh(x) - x) / x**3, lambda x: x**3 / tanh(x), square, tiny, "0.6", 11),
    "erf.f32": lambda n: fit(n, 24, lambda x: erf(x) / x - 1, lambda x: x / erf(x), square, tiny, "0.9375", 6),
    "erf.f64": lambda n: fit(n, 53, lambda x: erf(x) / x - 1, lambda x: x / erf(x), square, tiny, "0.9375", 13),
    "erfc.f32": lambda n: fit(n, 24, lambda t: -log(erfc(t)) / t, lambda t: t * erfc(t) / erf(t), same, "0.93", "4", 7),
    "erfc.f64": lambda n: fit(n, 53, lambda t: erfc(t) * exp(t * t), lambda t: exp(-t * t) / erf(t), lambda t: 1 / (1 + t / 2), "0.93", "6", 13),
    "normal.f32": lambda n: fit(n, 24, normal, lambda x: 1 / normal(x), square, tiny, "0.9376", 6),
    "normal.f64": lambda n: fit(n, 53, normal, lambda x: 1 / normal(x), square, tiny, "0.9376", 11),
    "normaltail.f32": lambda n: fit(n, 24, normaltail(3), lambda a: 1 / normaltail(3)(a), shifted(3), "0.93", "15", 8),
    "normaltail.f64": lambda n: fit(n, 53, normaltail(4), lambda a: 1 / normaltail(4)(a), shifted(4), "0.93", "40", 20),
    "sin.f32": lambda n: fit(n, 24, lambda r: (sin(r) - r) / r**3, lambda r: r**3 / sin(r), square, tiny, "0.84", 4),
    "sin.f64": lambda n: fit(n, 53, lambda r: (sin(r) - r) / r**3, lambda r: r**3 / sin(r), square, tiny, "0.84", 7),
    "cos.f32": lambda n: fit(n, 24, lambda r: (cos(r) - 1 + r**2 / 2) / r**4, lambda r: r**4 / cos(r), square, tiny, "0.84", 3),
    "cos.f64": lambda n: fit(n, 53, lambda r: (cos(r) - 1 + r**2 / 2) / r**4, lambda r: r**4 / cos(r), square, tiny, "0.84", 6),
    "tan.f32": lambda n: fit(n, 24, lambda r: (tan(r) - r) / r**3, lambda r: r**3 / tan(r), square, tiny, "0.84", 7),
    "tan.f64": lambda n: fit(n, 53, lambda r: (tan(r) - r) / r**3, lambda r: r**3 / tan(r), square, tiny, "0.84", 15),
    "powerlog.f32": lambda n: fit(n, 24, powerlog, lambda s: s**4, square, tiny, "0.1725", 3),
    "powerlog.f64": lambda n: fit(n, 53, powerlog, lambda s: s**4, square, tiny, "0.1725", 8),
}

for name in sys.argv[1:] or FITS:
    FITS[name](name)
