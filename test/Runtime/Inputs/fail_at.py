"""fail_at.py LIBRARY: a run that saves over an older one's checkpoints, once for each call by which it changes something in
the folder: the call fails as on a full disk, or the process is killed there. Whatever is left goes on with the same losses."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

DATA = ["--data", "tok=text", "--data", "next=text+1", "--holdout", "0", "--seed", "3"]
library = str(pathlib.Path(sys.argv[1]).resolve())


def train(*words, **environment):
    pathlib.Path("log").unlink(missing_ok=True)
    return subprocess.run(["plc-run", "train", "one.plcm", *DATA, "--log", "log", *words], env=os.environ | environment,
                          capture_output=True, text=True)


def losses():
    return {line["step"]: line["loss_bits"] for line in map(json.loads, open("log")) if "step" in line}


assert train("--steps", "6").returncode == 0
expected = losses()
assert train("--steps", "4", "--save", "before", "--save-every", "2").returncode == 0

for how in "error", "kill":
    call = refused = 0
    while True:
        call += 1
        shutil.rmtree("run", ignore_errors=True)
        shutil.copytree("before", "run", symlinks=True)
        done = train("--resume", "run/step-2", "--steps", "4", "--save", "run", LD_PRELOAD=library, FAIL_UNDER="run/", FAIL_HOW=how,
                     FAIL_COUNT="count", FAIL_AT=str(call))
        hit = int(open("count").read()) >= call
        assert hit or done.returncode == 0, done
        if how == "error" and done.returncode:
            refused += 1
            assert done.returncode == 1 and "No space left on device" in done.stderr, done
        elif hit and how == "kill":
            assert done.returncode == -9, done
        again = train("--resume", "run", "--steps", "6", "--save", "run")
        assert again.returncode == 0, (how, call, again)
        found = losses()
        assert found.keys() >= {5, 6} and found.items() <= expected.items(), (how, call, found)
        left = sorted(os.listdir("run"))
        assert left == ["latest", "step-2", "step-4", "step-6"], (how, call, left)
        if not hit:
            break
    print(f"{how}: {call - 1} calls, {refused} refused")

# A save that fails names the one before it.
def savedThrice(at):
    shutil.rmtree("run")
    return train("--steps", "6", "--save", "run", "--save-every", "2", LD_PRELOAD=library, FAIL_UNDER="run/", FAIL_HOW="error",
                 FAIL_COUNT="count", FAIL_AT=str(at))


assert savedThrice(1000000).returncode == 0
calls = int(open("count").read())
done = savedThrice(calls - calls // 6)
assert done.returncode == 1 and "note: the last checkpoint is 'run/step-4'" in done.stderr, done

# Of what an older checkpoint leaves that cannot be removed, the run tells, too.
told = call = 0
while True:
    call += 1
    shutil.rmtree("run")
    shutil.copytree("before", "run", symlinks=True)
    done = train("--resume", "run/step-4", "--steps", "6", "--save", "run", "--keep", "1", LD_PRELOAD=library, FAIL_UNDER="run/",
                 FAIL_HOW="error", FAIL_COUNT="count", FAIL_AT=str(call))
    assert done.returncode in (0, 1), done
    told += "cannot be removed: No space left on device" in done.stderr
    if int(open("count").read()) < call:
        break
assert done.returncode == 0 and sorted(os.listdir("run")) == ["latest", "step-6"], done
print(f"keep: {told} told")
