"""same_bits.py KEY=VALUE...: a small GPT trains to the same bits, under the same numerics key, as without the values."""
import json
import os
import subprocess
import sys
import tempfile

text = os.path.join(os.path.dirname(__file__), "../../../../examples/gpt.ein")
MODEL = [text, "-DB=4", "-DS=8", "-DD=8", "-DH=2", "-DL=2"]


def train(sets):
    with tempfile.TemporaryDirectory() as folder:
        return train_in(folder, sets)


def train_in(folder, sets):
    module, log = f"{folder}/m.plcm", f"{folder}/log"
    subprocess.run(["plc-compile", *MODEL, "-o", module] + [word for each in sets for word in ("--set", each)], check=True)
    subprocess.run(["plc-run", "train", module, "--data", f"tok={text}", "--data", f"next={text}+1", "--steps", "4",
                    "--holdout", "0", "--log", log, "--overwrite"], check=True, stdout=subprocess.DEVNULL)
    lines = [json.loads(line) for line in open(log)]
    return lines[0]["plan"]["numerics_key"], [line["loss_bits"] for line in lines if "step" in line]


sets = ["parallelism.micro_batches=2", *sys.argv[1:]]
numeric = [each for each in sets if each.split("=")[0] in ("parallelism.micro_batches", "parallelism.shard",
                                                               "gradient.lanes", "precision.compute")]
if any(each.startswith("parallelism.shard") for each in numeric):
    numeric.append("parallelism.kind=none")
expected, found = train(numeric), train(sets)
if len(set(expected[1])) < 4:
    sys.exit(f"the loss does not move: {expected}")
if expected != found:
    sys.exit(f"found {found} but expected {expected}")
print("same bits")
