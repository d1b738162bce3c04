#!/usr/bin/env python3
"""Measures how tightly addresses are packed for MiniMalloc's public instances, beside the lower bound.

usage: bench/addresses.py FOLDER

FOLDER/*.csv are the instances (github.com/google/minimalloc, benchmarks/asplos2024, Apache-2.0): id, first step,
step after the last, bytes. Prints the packed bytes, the bound, and the CPU time without that of starting plc-opt."""
import pathlib
import re
import resource
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent


def used():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def solve(instance):
    start = used()
    done = subprocess.run([root / "build/bin/plc-opt", "-", "--plan-solve-instances"], input=instance, text=True,
                          capture_output=True, check=True)
    return done.stdout, used() - start


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    empty = min(solve("plan.pack_instance @p alignment 1 { plan.block 1 from 0 to 1 }")[1] for _ in range(3))
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.csv")):
        rows = [line.split(",") for line in path.read_text().split()[1:]]
        blocks = "".join(f"plan.block {size} from {begin} to {end}\n" for _, begin, end, size in rows)
        text, seconds = solve("plan.pack_instance @p alignment 1 {\n" + blocks + "}")
        packed, bound = map(int, re.search(r"packed (\d+) bound (\d+)", text).groups())
        print(f"{path.stem}: {len(rows)} blocks, {packed} of {bound} bytes, gap {100 * (packed / bound - 1):.1f} %, "
              f"{1000 * (seconds - empty):.0f} ms")


if __name__ == "__main__":
    main()
