#!/usr/bin/env python3
"""recomputation.py [GRAPHS]: how far recomputation under a budget is from the optimum and from its bound. First the planner
alone: GRAPHS (2,000) random graphs of at most 12 calls beside an oracle, uniform chains beside Revolve, transformers, a
layered graph of 1,000 calls. Then the trade-off of models, as `--plan-remat-curve` prints it. Fails where an exact answer is
not the oracle's, a bound is above it, or a chain is not Revolve's."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent
MODELS = {
    "gpt.ein, two layers": ["examples/gpt.ein", "-DL=2"],
    "gpt.ein, eight layers": ["examples/gpt.ein", "-DL=8"],
    "unet.ein": ["examples/unet.ein"],
}


def curve(model):
    """The points of a model: bytes, added time, bound, gap."""
    kernels = subprocess.run([ROOT / "build/bin/plc-compile", ROOT / model[0], *model[1:], "--emit=kernels", "-o", "-"],
                             check=True, capture_output=True).stdout
    passes = f"plan-partition{{policy=budget memory-limit-bytes={1 << 50}}},plan-remat-curve{{points=10}}"
    return subprocess.run([ROOT / "build/bin/plc-opt", "-", "-o", "/dev/null", f"--pass-pipeline=builtin.module({passes})"],
                          check=True, capture_output=True, input=kernels).stdout.decode()


def main():
    graphs = sys.argv[1] if len(sys.argv) > 1 else "2000"
    failed = 0
    for mode in (["small", graphs], ["chains"], ["graphs"], ["large"], ["layered"]):
        failed |= subprocess.run([ROOT / "build/unit/RetentionBench", *mode]).returncode
    for name, model in MODELS.items():
        print(name)
        print(curve(model))
    sys.exit(failed)


if __name__ == "__main__":
    main()
