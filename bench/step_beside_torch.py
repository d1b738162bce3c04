#!/usr/bin/env python3
"""Time of a training step of examples/gpt.ein (two stages, 1F1B, 4 micro-batches) beside PyTorch eager on the same cores.

usage: bench/step_beside_torch.py [--rounds N] [--steps N] [-D NAME=SIZE ...]      (needs: pip install torch==2.13.0)

Runs alternate, because machines drift; each round gives one median per side, and the ratio is the median of rounds.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

here = pathlib.Path(__file__).resolve().parent
root = here.parent
sys.path.insert(0, str(here))


def plc_step_ms(module, text, steps, folder):
    log = folder / "log.jsonl"
    log.unlink(missing_ok=True)
    command = [root / "build/bin/plc-run", "train", module, "--data", f"tok={text}", "--data", f"next={text}+1",
               "--steps", str(steps), "--holdout", "0", "--log", log]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return statistics.median(line["ms"] for line in lines if line.get("step", 0) > 2)


class Torch:
    def __init__(self, sizes, text):
        import torch
        from gpt_torch import Gpt

        torch.set_num_threads(len(os.sched_getaffinity(0)))
        torch.manual_seed(0)
        self.torch, self.sizes = torch, sizes
        self.data = torch.frombuffer(bytearray(text.read_bytes()), dtype=torch.uint8).long()
        self.model = Gpt(sizes["V"], sizes["S"], sizes["D"], sizes["H"], sizes["L"])
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=2e-3, weight_decay=0.01, betas=(0.9, 0.95))

    def batch(self):
        s = self.sizes["S"]
        starts = self.torch.randint(0, len(self.data) - s - 1, (self.sizes["B"],)).tolist()
        return (self.torch.stack([self.data[i : i + s] for i in starts]),
                self.torch.stack([self.data[i + 1 : i + 1 + s] for i in starts]))

    def step_ms(self, steps):
        times = []
        for _ in range(steps):
            tok, following = self.batch()
            begin = time.perf_counter()
            loss = self.model(tok, following)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            loss.item()
            times.append((time.perf_counter() - begin) * 1000)
        return statistics.median(times[2:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--text", type=pathlib.Path, default=root / "build/demo/manuals.txt")
    parser.add_argument("-D", action="append", default=[], metavar="NAME=SIZE")
    arguments = parser.parse_args()
    sizes = {"B": 8, "S": 128, "V": 256, "L": 4, "D": 128, "H": 4}
    sizes.update((name, int(size)) for name, size in (d.split("=") for d in arguments.D))
    peer = Torch(sizes, arguments.text)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        module = folder / "gpt.plcm"
        subprocess.run([root / "build/bin/plc-compile", root / "examples/gpt.ein", "--strategy",
                        root / "examples/gpt.toml", "-o", module, *[f"-D{d}" for d in arguments.D]], check=True)
        rounds = [(plc_step_ms(module, arguments.text, arguments.steps, folder), peer.step_ms(arguments.steps))
                  for _ in range(arguments.rounds)]
    ratios = sorted(theirs / ours for ours, theirs in rounds)
    print(f"sizes {sizes}, {len(os.sched_getaffinity(0))} cores, {len(rounds)} rounds")
    print(f"plc step {statistics.median(o for o, _ in rounds):.1f} ms, "
          f"PyTorch eager {statistics.median(t for _, t in rounds):.1f} ms")
    print(f"plc is {statistics.median(ratios):.2f} times as fast as PyTorch eager ({ratios[0]:.2f}-{ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
