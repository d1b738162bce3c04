"""break_module.py M.plcm COUNT: flips a bit at COUNT places over the whole file, cuts it and appends to it; plc-run must end
each time with exit code 1 and one error line. Leaves flipped.plcm, cut.plcm and longer.plcm, one of each."""
import concurrent.futures, os, subprocess, sys

with open(sys.argv[1], "rb") as file:
    good = file.read()
count = int(sys.argv[2])


def run(name, data):
    with open(name, "wb") as file:
        file.write(data)
    found = subprocess.run(["plc-run", "bench", name], capture_output=True, text=True, timeout=60)
    lines = found.stderr.splitlines()
    if found.returncode != 1 or found.stdout or len(lines) != 1 or not lines[0].startswith(name + ": error: "):
        sys.exit("%s: exit code %d, %r, %r" % (name, found.returncode, found.stdout, found.stderr))
    os.remove(name)


def flipped(i):
    # Even numbers: the headers and tables at both ends; odd ones: evenly over the file.
    place = i * 7 % 1024 if i % 4 == 0 else len(good) - 1 - i * 7 % 1024 if i % 4 == 2 else i * len(good) // count
    return good[:place] + bytes([good[place] ^ 1 << i % 8]) + good[place + 1:]


cuts = [0, 1, 4, 63, 64, 100] + [len(good) - back for back in (1, 8, 23, 24, 25)] + [i * len(good) // 20 for i in range(1, 20)]
cases = [("f%d.plcm" % i, flipped(i)) for i in range(count)] + [("c%d.plcm" % i, good[:i]) for i in cuts]
cases += [("l%d.plcm" % i, good + more) for i, more in enumerate((b"\0", b"\n", good))]
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    list(pool.map(lambda case: run(*case), cases))
for name, data in ("flipped", flipped(1)), ("cut", good[:len(good) // 2]), ("longer", good + b"\0"):
    with open(name + ".plcm", "wb") as file:
        file.write(data)
print("%d flipped, %d cut, 3 longer: each exit code 1 with one error line" % (count, len(cuts)))
