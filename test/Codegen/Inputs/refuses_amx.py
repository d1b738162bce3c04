"""Runs a command, which must name the feature that this CPU lacks; on a CPU with AMX it must succeed."""
import subprocess
import sys

has = "amx_bf16" in open("/proc/cpuinfo").read()
result = subprocess.run(sys.argv[1:], capture_output=True, text=True)
refused = "compiled for CPU feature 'amx-tile', which this machine lacks" in result.stderr
assert refused != has, result.stderr
