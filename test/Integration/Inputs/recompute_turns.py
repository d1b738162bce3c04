"""recompute_turns.py MODEL X Y FOLDER: under every policy that runs iterations again, training gives the bits of policy `none` and of the
interpreter, planned bytes are what is there, nothing dead is read, and the plan takes at most a quarter of the bytes."""
import json
import pathlib
import re
import subprocess
import sys

model, x, y, folder = sys.argv[1:]
folder = pathlib.Path(folder)


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def train(name, tool, what, sets):
    log, saved = folder / f"{name}.log", folder / name
    run(tool, "train", what, "--data", f"x={x}", "--data", f"y={y}", "--steps", "3", "--holdout", "0", "--log", log, "--save", saved, "--overwrite", *sets)
    lines = [json.loads(line) for line in open(log)]
    return [line["loss_bits"] for line in lines if "step" in line], (saved / "step-3/params.safetensors").read_bytes(), lines[0].get("plan", {})


# The same numbers, and a strategy: its name, what it sets, whether iterations run again.
OF_NUMBERS = ([], ["parallelism.micro_batches=2"], ["parallelism.micro_batches=3"])
POLICIES = {
    "keep": (["checkpoint.loops=keep"], False),
    "recompute": (["checkpoint.loops=recompute"], True),
    "uniform": (["checkpoint.policy=uniform", "checkpoint.interval=1"], True),
    "uniform-keep": (["checkpoint.policy=uniform", "checkpoint.loops=keep"], False),
    "stages": (["checkpoint.loops=recompute", "parallelism.stages=2"], True),
    "budget": (["checkpoint.policy=budget", "memory.budget=256KiB"], True),
}
count = 0
for numbers in OF_NUMBERS:
    of_numbers = [word for each in numbers for word in ("--set", each)]
    expected = train("interpreted", "plc-interpret", model, of_numbers)
    if len(set(expected[0])) != 3:
        sys.exit(f"the loss does not move: {expected[0]}")
    bytes_of, keys = {}, set()
    for name, (policy, again) in POLICIES.items():
        sets = of_numbers + [word for each in policy for word in ("--set", each)]
        module = folder / f"{name}.plcm"
        run("plc-compile", model, *sets, "-o", module)
        found = train(name, "plc-run", module, ["--check-arena"])
        if found[:2] != expected[:2]:
            sys.exit(f"{name} {numbers}: losses {found[0]} but expected {expected[0]}")
        bytes_of[name] = sum(stage["peak_bytes"] for stage in found[2]["stages"])
        keys.add(found[2]["numerics_key"])
        printed = run("plc-compile", model, *sets)
        if bool(re.search(r"^recomputation .*iterations", printed, re.M)) != again:
            sys.exit(f"{name} {numbers}: iterations that run again are {'not ' if again else ''}told\n{printed}")
        count += 1
    for name, (policy, again) in POLICIES.items():
        if again and bytes_of[name] * 4 > bytes_of["keep"]:
            sys.exit(f"{name} {numbers}: {bytes_of[name]} bytes of {bytes_of['keep']}")
    if len(keys) != 1:
        sys.exit(f"{numbers}: keys {keys}")
print(f"{count} plans agree bit for bit; those that run iterations again take at most a quarter of the bytes")
