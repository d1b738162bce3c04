"""Reads what --plan-remat-curve prints. Each gap is (added - bound) / bound, and some is none of 0 %."""
import re
import sys

rows = re.findall(r"^ *\d+ +(\d+) +[\d.]+ % +(\d+) +([\d.]+) %$", sys.stdin.read(), re.M)
for added, bound, gap in rows:
    expected = 100 * (int(added) - int(bound)) / int(bound) if int(bound) else 0
    if abs(float(gap) - expected) > 0.051:
        sys.exit(f"found a gap of {gap} % for {added} above {bound}, expected {expected:.2f} %")
if not any(float(gap) for _, _, gap in rows):
    sys.exit("no row has a gap")
