"""measured.py LOG KERNELS|PIPELINE: how many kernels take what the log's summary says that they took, and how many something
else; or whether a pipeline's updates do."""
import json
import re
import sys

measured = {kernel["kernel"]: kernel for kernel in json.loads(open(sys.argv[1]).readlines()[-1])["summary"]["kernels"]}
text = open(sys.argv[2]).read()
if rate := re.search(r"ns-per-updated-byte=(\S+)[ }]", text):
    step = measured["step"]
    print("updates as measured" if abs(float(rate[1]) * step["bytes"] - step["median_ns"]) < 1 else f"{rate[0]} but {step}")
    sys.exit()
same, others = 0, 0
for name, attributes in re.findall(r"plan\.kernel @(\S+?)\(.*attributes \{(.*?)\}", text):
    ns, size = (int(re.search(rf"\b{key} = (\d+)", attributes)[1]) for key in ("ns", "bytes"))
    same += (ns, size) == (measured[name]["median_ns"], measured[name]["bytes"])
    others += size != measured[name]["bytes"]
    if size == measured[name]["bytes"] and ns != measured[name]["median_ns"]:
        sys.exit(f"{name} takes {ns} ns but was measured: {measured[name]}")
print(f"{same} kernels as measured, {others} by rates")
