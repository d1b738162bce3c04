"""stop_launcher.py COMMAND ..: starts a run of several processes, ends it by SIGTERM before any of them has joined it, and prints how it
ended and whether its folder of flight recorders is left."""
import os
import re
import signal
import subprocess
import sys
import time

run = subprocess.Popen(sys.argv[1:], stderr=subprocess.DEVNULL)
folder = None
while folder is None and run.poll() is None:
    for child in open(f"/proc/{run.pid}/task/{run.pid}/children").read().split():
        found = re.search(r"PLC_FLIGHT=([^\0]+)", open(f"/proc/{child}/cmdline").read())
        folder = found and found[1]
    time.sleep(0.01)
there = os.path.isdir(folder)
run.send_signal(signal.SIGTERM)
print("exit", run.wait(timeout=30))
print("folder:", "there" if there else "never", "left" if os.path.exists(folder) else "removed")
