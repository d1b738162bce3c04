"""profile.py LOG TRACE: every kernel of the log's summary was called and is in the trace with the same bytes."""
import json
import statistics
import sys

kernels = json.loads(open(sys.argv[1]).readlines()[-1])["summary"]["kernels"]
events = [event for event in json.load(open(sys.argv[2]))["traceEvents"] if event.get("cat") == "kernel"]
# The optimizer's updates are no kernel, but take their time.
step = next(kernel for kernel in kernels if kernel["kernel"] == "step")
kernels.remove(step)
steps = sum(event.get("cat") == "step" for event in json.load(open(sys.argv[2]))["traceEvents"])
if step["calls"] != steps or not step["bytes"]:
    sys.exit(f"{step} but the trace has {steps} steps")
for kernel in kernels:
    mine = [event for event in events if event["name"] == kernel["kernel"]]
    median = statistics.median_low([event["dur"] for event in mine]) * 1e3
    if abs(kernel["median_ns"] - median) > 0.016 * median + 1 or kernel["predicted_ns"] <= 0:
        sys.exit(f"{kernel} has no prediction, or the trace another median: {median} ns")
    traced = sum(event["dur"] for event in mine) / 1e3
    if len(mine) != kernel["calls"] or abs(traced - kernel["ms"]) > 1e-3 * max(kernel["ms"], 1):
        sys.exit(f"{kernel} but the trace has {len(mine)} calls and {traced} ms")
    if {event["args"]["bytes"] for event in mine} != {kernel["bytes"]} or not kernel["bytes"]:
        sys.exit(f"{kernel} but the trace has {mine[0]['args']}")
    if ".ein:" not in kernel["where"]:
        sys.exit(f"{kernel} has no place")
if len(events) != sum(kernel["calls"] for kernel in kernels):
    sys.exit("the trace has other kernels")
if [kernel["ms"] for kernel in kernels] != sorted((kernel["ms"] for kernel in kernels), reverse=True):
    sys.exit("not the slowest first")
print(f"{len(kernels)} kernels")
