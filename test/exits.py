#!/usr/bin/env python3
"""exits.py CODE COMMAND...: runs the command, its errors merged into its output; fails unless it exits with CODE."""
import subprocess
import sys

expected, command = int(sys.argv[1]), sys.argv[2:]
run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
sys.stdout.buffer.write(run.stdout)
sys.stdout.flush()
if run.returncode != expected:
    print(f"exits.py: error: '{' '.join(command)}' exited with {run.returncode} but {expected} is expected")
    sys.exit(1)
