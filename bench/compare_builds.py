#!/usr/bin/env python3
"""Compares the numerics keys, loss bits and planned bytes of two builds over 288 plans of the examples.

usage: bench/compare_builds.py BEFORE AFTER [--steps N] [--only TEXT]

BEFORE and AFTER are build folders (with `bin/`). The plans vary stages, micro-batches, schedules and recomputation.
Prints each difference, and each rank whose measured bytes are not the planned ones. Exits with 1 if a key or a bit
differs, if bytes were not as planned, or if only one build runs a plan. Planned bytes may differ."""
import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXT = ROOT / "examples/gpt.ein"
EXAMPLES = [f"{name}.ein" for name in ("dense", "gpt", "unet-text", "unet-text-stash")]
STAGES, MICRO_BATCHES, SCHEDULES = (1, 2, 4), (1, 3, 8), ("gpipe", "1f1b")  # 3 does not divide the batch of 8
RECOMPUTED = ([], ["policy=uniform", "interval=1"], ["policy=dynamic", "memory_fraction=0.5"],
              ["policy=uniform", "interval=2", "micro_batches=except_last"])


def settings():
    ways = itertools.product(EXAMPLES, STAGES, MICRO_BATCHES, SCHEDULES, RECOMPUTED)
    for example, stages, count, schedule, remat in ways:
        yield example, [f"parallelism.stages={stages}", f"parallelism.micro_batches={count}",
                        f"parallelism.schedule={schedule}", *(f"checkpoint.{key}" for key in remat)]


def outcome(build, example, keys, steps, folder):
    """The key, the losses' bits, planned and measured bytes of each rank; or the first line of what went wrong."""
    module, log = folder / "m.plcm", folder / "log"
    log.unlink(missing_ok=True)
    compile_ = [build / "bin/plc-compile", ROOT / "examples" / example, "-DB=8", "-DS=16", "-o", module]
    train = [build / "bin/plc-run", "train", module, "--data", f"tok={TEXT}", "--data", f"next={TEXT}+1",
             "--steps", str(steps), "--holdout", "0", "--log", log]
    for words in (compile_ + [word for key in keys for word in ("--set", key)], train):
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            return f"exit code {done.returncode}: {(done.stderr.splitlines() or [''])[0]}"
    lines = [json.loads(line) for line in open(log)]
    ranks = lines[-1]["summary"]["ranks"]
    return {"key": lines[0]["plan"]["numerics_key"],
            "losses": [line["loss_bits"] for line in lines if "step" in line],
            "planned": [rank["planned_bytes"] for rank in ranks],
            "measured": [rank["measured_bytes"] for rank in ranks]}


def differences(before, after):
    """What differs, and whether it may not."""
    if isinstance(before, str) or isinstance(after, str):
        if before != after:
            yield " | ".join(side if isinstance(side, str) else "runs" for side in (before, after)), True
        return
    for what in ("key", "losses", "planned"):
        if before[what] != after[what]:
            yield f"{what} {before[what]} | {after[what]}", what != "planned"
    for side, found in (("before", before), ("after", after)):
        if found["planned"] != found["measured"]:
            yield f"{side}: planned {found['planned']} but measured {found['measured']}", True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--only", default="", help="of the settings those with this in their text")
    options = parser.parse_args()
    total = same = refused = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for example, keys in settings():
            text = " ".join([example, *keys])
            if options.only not in text:
                continue
            before, after = (outcome(build, example, keys, options.steps, pathlib.Path(folder))
                             for build in (options.before, options.after))
            found = list(differences(before, after))
            total += 1
            same += not found
            refused += isinstance(after, str)
            wrong += any(bad for _, bad in found)
            for each, _ in found:
                print(f"{text}: {each}", flush=True)
    print(f"{total} plans, {refused} of them refused: {same} the same in both builds, {wrong} wrong")
    sys.exit(1 if wrong or not total else 0)


main()
