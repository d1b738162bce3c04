"""recomputed.py < PLAN: the number of `plan.checkpoint`s, and the paths of clones in the order of their originals."""
import re
import sys

text = sys.stdin.read()
clones = re.findall(r'path "([^"]*)" recompute <(\d+), \d+>', text)
print(f"kept {text.count('plan.checkpoint')}, again", *(path for path, _ in sorted(clones, key=lambda each: int(each[1]))))
