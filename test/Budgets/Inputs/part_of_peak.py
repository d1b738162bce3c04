"""part_of_peak.py PART plc-compile ARGUMENTS... > BUDGET.toml: a strategy with a budget of this part of what the plan of the
command takes on the rank that takes most, to be read by --strategy."""
import re
import subprocess
import sys

plan = subprocess.run([*sys.argv[2:], "--emit=addresses", "-o", "-"], stdout=subprocess.PIPE, text=True, check=True).stdout
peak = max(map(int, re.findall(r"\bplan\.layout persistent \d+ arena (\d+)", plan)))
print(f'memory.budget = "{int(peak * float(sys.argv[1]))}B"')
