"""Prints a plan with another owner of a parameter: python move_owner.py PLAN.mlir PARAMETER

The handles of the parameter swap `owned`, and so do its buffers."""
import re
import sys

name = re.escape(sys.argv[2])
for line in open(sys.argv[1]):
    handle = re.search(rf'plan\.(param @"{name}"|buffer +parameter "{name}" at \d+ bytes \d+)( owned)?', line)
    if handle:
        line = line.replace(handle[0], handle[0].removesuffix(" owned") + ("" if handle[2] else " owned"))
    print(line, end="")
