"""batch_cuts.py FOLDER MODEL COUNTS OPTIONS...: trains two steps of a model over text in each number of micro-batches, and by the
interpreter in one of them; fails unless all have one numerics key and the same losses and gradient norms, bit for bit."""
import json
import pathlib
import subprocess
import sys

folder, model, counts, *options = sys.argv[1:]
folder, counts = pathlib.Path(folder), [int(count) for count in counts.split(",")]
text = folder / "text"
text.write_bytes(b"".join(each.read_bytes() for each in sorted(pathlib.Path(model).parent.glob("*.ein"))))
data = ["--data", f"tok={text}", "--data", f"next={text}+1", "--steps", "2", "--holdout", "0.25", "--overwrite", "--log"]


def check(command):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {result.stderr}")


def bits(log):
    steps = [json.loads(line) for line in log.read_text().splitlines()]
    return [tuple(step[key] for key in ("loss", "loss_bits", "grad_norm", "holdout_loss") if key in step)
            for step in steps if "micro_batch_losses" in step or "summary" in step]


keys, found = set(), {}
for count in counts:
    way = [*options, "--set", f"parallelism.micro_batches={count}"]
    module, log = folder / "cut.plcm", folder / f"cut-{count}.log"
    check(["plc-compile", model, *way, "-o", module])
    check(["plc-run", "train", module, *data, log])
    keys.add(json.loads(log.read_text().splitlines()[0])["plan"]["numerics_key"])
    found[f"{count} micro-batches"] = bits(log)
log = folder / "interpreted.log"
check(["plc-interpret", "train", model, *options, "--set", f"parallelism.micro_batches={counts[-1]}", *data, log])
found["the interpreter"] = bits(log)
if len(keys) > 1:
    sys.exit(f"{len(keys)} numerics keys of {', '.join(map(str, counts))} micro-batches")
first = next(iter(found))
assert found[first], "no steps in the log"
for name, steps in found.items():
    if steps != found[first]:
        sys.exit(f"{name} differ from {first}: {steps} and {found[first]}")
