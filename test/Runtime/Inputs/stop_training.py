"""stop_training.py SIGNAL [SIGNAL] -- COMMAND ..: starts a run that logs to `log`, waits for three steps, stops it, sends the
signals and lets it go on. Prints its exit code (minus the signal that ended it) and its last words."""
import os
import signal
import subprocess
import sys
import time

split = sys.argv.index("--")
# A shell starts what it does not wait for with SIGINT ignored, as nohup does with SIGHUP, and what they start inherits that.
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
run = subprocess.Popen(sys.argv[split + 1:] + ["--log", "log"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
while run.poll() is None and (not os.path.exists("log") or open("log").read().count('"step"') < 3):
    time.sleep(0.01)
run.send_signal(signal.SIGSTOP)
for name in sys.argv[1:split]:
    run.send_signal(getattr(signal, name))
run.send_signal(signal.SIGCONT)
try:
    out, err = run.communicate(timeout=60)
except subprocess.TimeoutExpired:
    run.kill()
    sys.exit("it does not stop")
print("exit", run.returncode)
print(out.splitlines()[-1] if out else "")
print(err, end="")
