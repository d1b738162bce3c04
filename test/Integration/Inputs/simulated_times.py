"""simulated_times.py M.plcm BASE SLOW ONE_CORE: at half the speed a step takes twice as long; on one core the sum of both ranks' work."""
import re
import subprocess
import sys


def simulate(cluster):
    text = subprocess.run(["plc-run", "simulate", sys.argv[1], "--cluster", cluster], check=True, capture_output=True, text=True).stdout
    return float(re.search(r"step ([0-9.]+) ms", text)[1]), [float(ms) for ms in re.findall(r" s\d +([0-9.]+) ms", text)]


(base, busy), (slow, _), (shared, _) = (simulate(cluster) for cluster in sys.argv[2:])
if abs(slow - 2 * base) > 0.01 * base:
    sys.exit(f"{slow} is not twice {base}")
if abs(shared - sum(busy)) > 0.01 * shared or shared <= base:
    sys.exit(f"{shared} is not the sum of {busy}")
