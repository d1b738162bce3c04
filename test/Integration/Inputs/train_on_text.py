"""A character model trained on a file: what its log says, once planned bytes were measured on every rank."""
import json
import subprocess
import sys


def train_on_text(module, text, log, steps, *options):
    """Bits of the losses, and the planned bytes of each rank."""
    log.unlink(missing_ok=True)
    subprocess.run(["plc-run", "train", module, "--data", f"tok={text}", "--data", f"next={text}+1", "--steps", str(steps),
                    "--holdout", "0", "--seed", "7", "--check-arena", "--log", log, "--overwrite", *options],
                   check=True, stdout=subprocess.DEVNULL)
    lines = [json.loads(line) for line in log.open()]
    ranks = lines[-1]["summary"]["ranks"]
    for rank in ranks:
        if rank["planned_bytes"] != rank["measured_bytes"]:
            sys.exit(f"{module}: {rank}")
    return [step["loss_bits"] for step in lines if "step" in step], [rank["planned_bytes"] for rank in ranks]
