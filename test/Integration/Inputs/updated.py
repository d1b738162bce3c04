"""updated.py LOG...: what the steps of all ranks go through is the same in all runs, each byte of a gradient once, where its
parameter is owned. The logs are of modules with `profiling`, whose summaries tell the mean of a rank."""
import json
import sys

for log in sys.argv[1:]:
    summary = next(line["summary"] for line in map(json.loads, open(log)) if "summary" in line)
    mean = next(kernel["bytes"] for kernel in summary["kernels"] if kernel["kernel"] == "step")
    total = mean * len(summary["ranks"])
    expected = total if log == sys.argv[1] else expected
    if abs(total - expected) >= len(summary["ranks"]):  # which the division leaves
        sys.exit(f"{log}: {len(summary['ranks'])} ranks step through {total} bytes but expected {expected}")
print(f"{len(sys.argv) - 1} runs step through {expected} bytes each")
