"""Module of cores.py and prediction.py: the rank correlation of two lists (Spearman, 1904)."""
import statistics


def ranks_of(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    return [order.index(i) for i in range(len(values))]


def spearman(xs, ys):
    return statistics.correlation(ranks_of(xs), ranks_of(ys))
