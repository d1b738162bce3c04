"""gaps.py LEAST: reads what --plan-remat-curve prints, at least so many rows. Fewer bytes take longer; none recomputes less than its
bound, and each gap is (recomputed - bound) / bound."""
import re
import sys

rows = re.findall(r"^ *(\d+) +(\d+) +(-?[\d.]+) % +(\d+) +(\d+) +(-|[\d.]+ %)$", sys.stdin.read(), re.M)
if len(rows) < int(sys.argv[1]):
    sys.exit(f"found {len(rows)} rows")
for (more, faster, *_), (bytes_, step, *_) in zip(rows, rows[1:]):
    if int(bytes_) >= int(more) or int(step) <= int(faster):
        sys.exit(f"found {bytes_} bytes and {step} ns behind {more} bytes and {faster} ns")
for _, step, slower, recomputed, bound, gap in rows:
    if abs(float(slower) - 100 * (int(step) / int(rows[0][1]) - 1)) > 0.051:
        sys.exit(f"found {slower} % for {step} ns beside {rows[0][1]} ns")
    more = int(recomputed) - int(bound)
    expected = "-" if more and not int(bound) else f"{100 * more / max(int(bound), 1):.2f} %"
    if more < 0 or gap != expected and abs(float(gap[:-2]) - float(expected[:-2])) > 0.051:
        sys.exit(f"found a gap of {gap} for {recomputed} above {bound}, expected {expected}")
if rows[0][3] != "0":
    sys.exit("the plan of most bytes recomputes")
