"""suspend_run.py HOW -- COMMAND ..: starts a run of several processes that logs to `log`, waits for three steps, and lets nothing of it
go on for 2.5 seconds: by Ctrl-Z at its terminal (`terminal`), by stopping each of its processes (`each`), or as a debugger
that holds one (`debugger`). Prints whether it goes on, and how it ends then by SIGTERM."""
import ctypes
import os
import signal
import subprocess
import sys
import time

split = sys.argv.index("--")
how = sys.argv[1]
run = subprocess.Popen(sys.argv[split + 1:] + ["--log", "log"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
library = ctypes.CDLL(None, use_errno=True)
library.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def steps():
    return open("log").read().count('"step"') if os.path.exists("log") else 0


def state(process):
    return open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()[0]


def children(process):
    found = open(f"/proc/{process}/task/{process}/children").read().split()
    return [int(child) for child in found] + [below for child in found for below in children(child)]


def ptrace(request, thread):
    if library.ptrace(request, thread, None, None) != 0:
        sys.exit(f"ptrace: {os.strerror(ctypes.get_errno())}")


def wait_for_steps(count):
    while steps() < count and run.poll() is None:
        time.sleep(0.01)


wait_for_steps(3)
all_processes = [run.pid] + children(run.pid)
ranks = [process for process in all_processes[1:] if os.path.basename(os.readlink(f"/proc/{process}/exe")) == "plc-run"]
assert len(ranks) == 2, ranks
if how == "debugger":
    threads = [int(thread) for thread in os.listdir(f"/proc/{ranks[0]}/task")]
    for thread in threads:
        ptrace(PTRACE_SEIZE, thread)
    for thread in threads:
        ptrace(PTRACE_INTERRUPT, thread)
    for thread in threads:
        os.waitpid(thread, 0x40000000)  # __WALL
elif how == "each":
    for process in reversed(all_processes):
        os.kill(process, signal.SIGSTOP)
else:
    run.send_signal(signal.SIGTSTP)
time.sleep(0.3)
before = steps()
print("held:", *sorted({state(process) for process in ranks}))
time.sleep(2.2)
assert steps() == before, "it has gone on meanwhile"
if how == "debugger":
    for thread in threads:
        ptrace(PTRACE_DETACH, thread)
elif how == "each":
    for process in all_processes:  # the launcher sees the others stopped
        os.kill(process, signal.SIGCONT)
        time.sleep(0.2)
else:
    run.send_signal(signal.SIGCONT)
wait_for_steps(before + 3)
print("goes on" if steps() >= before + 3 else "ends")
run.terminate()
try:
    _, err = run.communicate(timeout=60)
except subprocess.TimeoutExpired:
    run.kill()
    sys.exit("it does not stop")
print("exit", run.returncode)
print(err, end="")
