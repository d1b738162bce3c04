"""at_once.py COMMAND...: runs it twice, the second time when the first has told something; prints what both told."""
import subprocess
import sys

first = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
print(first.stderr.readline(), end="", flush=True)
second = subprocess.run(sys.argv[1:], capture_output=True, text=True)
output, told = first.communicate()
print(told + second.stderr, end="")
print("same plans" if output == second.stdout else "other plans")
