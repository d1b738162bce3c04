"""Pairwise covers: few rows that together hold every pair of values of any two factors, as AETG makes them (Cohen and
others, 1997), but without random numbers, so that the rows are the same each time."""
import itertools


def pairs_of(row):
    """All pairs of a row: (factor, value, factor, value), factors by number, the lower one first."""
    return {(*a, *b) for a, b in itertools.combinations(enumerate(row), 2)}


def possible_pairs(factors, impossible=frozenset()):
    """In an order that depends on nothing else. impossible: such pairs, too."""
    every = ((i, a, j, b) for i, j in itertools.combinations(range(len(factors)), 2) for a in factors[i] for b in factors[j])
    return [pair for pair in every if pair not in impossible]


def filled(pair, factors, left, impossible, rows):
    """A row with this pair, and of each other factor the value that adds most pairs that are left, of several the one that
    fewest rows have; None if no row is possible."""
    row = {pair[0]: pair[1], pair[2]: pair[3]}

    def with_others(factor, value):
        return [(factor, value, j, b) if factor < j else (j, b, factor, value) for j, b in row.items()]

    for factor, values in enumerate(factors):
        if factor not in row:
            allowed = [value for value in values if impossible.isdisjoint(with_others(factor, value))]
            if not allowed:
                return None
            row[factor] = max(allowed, key=lambda value: (len(left.intersection(with_others(factor, value))),
                                                          -sum(other[factor] == value for other in rows)))
    return tuple(row[factor] for factor in range(len(factors)))


def cover(factors, impossible=frozenset()):
    """The rows: each starts from the first pair that is left. Fails if a possible pair finds no row."""
    order = possible_pairs(factors, impossible)
    left, rows = set(order), []
    for pair in order:
        if pair in left:
            row = filled(pair, factors, left, impossible, rows)
            if not row:
                raise ValueError(f"no row holds {pair}")
            rows.append(row)
            left -= pairs_of(row)
    return rows
