"""lose_process.py [--after STEPS] SIGNAL WHICH -- COMMAND ..: starts a run of several processes that logs to `log`, waits for some
steps (3) and sends the signal to the process of that number, to `mpirun`, to the `launcher`, or to the `supervisor` of process 1; or, on
the first of several machines (machines.py), cuts one off: `cut cable1`; or goes away as who reads its output: `close stdout`. Prints the exit code and what it says, in time; and who is left
then."""
import os
import signal
import subprocess
import sys
import time

split = sys.argv.index("--")
words = sys.argv[1:split]
steps = int(words[1]) if words[0] == "--after" else 3
name, which = words[-2:]
run = subprocess.Popen(sys.argv[split + 1:] + ["--log", "log"], stdout=subprocess.PIPE if name == "close" else subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def members():
    """By number, the processes of the run: those of our folder that some mpirun has given one. A supervisor has the same number, and is older."""
    found = {}
    for each in filter(str.isdigit, os.listdir("/proc")):
        try:
            variables = open(f"/proc/{each}/environ").read().split("\0")
            same = os.readlink(f"/proc/{each}/cwd") == os.getcwd() and os.readlink(f"/proc/{each}/exe").endswith("/plc-run")
        except OSError:
            continue
        for variable in variables:
            if same and variable.startswith(("OMPI_COMM_WORLD_RANK=", "PMI_RANK=")):
                found.setdefault(int(variable.split("=")[1]), []).append(int(each))
    return found


while run.poll() is None and (not os.path.exists("log") or open("log").read().count('"step"') < steps):
    time.sleep(0.01)
if run.poll() is not None:
    sys.exit(f"it ended by itself with {run.returncode}:\n{run.stderr.read()}")
if which == "launcher":
    victim = run.pid
elif which == "mpirun":
    victim = int(open(f"/proc/{run.pid}/task/{run.pid}/children").read().split()[0])
elif which == "supervisor":
    victim = min(members()[1])
elif name not in ("cut", "close"):
    victim = max(members()[int(which)])
if name == "cut":
    subprocess.run(["ip", "link", "set", which, "down"], check=True)
elif name == "close":
    run.stdout.close()
else:
    os.kill(victim, getattr(signal, name))
start = time.monotonic()
try:
    _, err = run.communicate(timeout=60)
except subprocess.TimeoutExpired:
    run.kill()
    sys.exit("it does not end")
seconds = time.monotonic() - start
print("exit", run.returncode, "in time" if seconds < 5 else f"after {seconds:.1f} s")
print(err, end="")
while members() and time.monotonic() - start < 5:
    time.sleep(0.05)
print("left:", len(members()))
