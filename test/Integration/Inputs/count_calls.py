"""count_calls.py TRACE.json...: how often a traced entry `eval` called what is prepared, and how often all else ran."""
import json
import sys

for name in sys.argv[1:]:
    events = [e for e in json.load(open(name))["traceEvents"] if e.get("cat") in ("task", "kernel")]
    prepared = [e for e in events if e["args"]["micro_batch"] < 0]
    calls = [e for e in prepared if e["cat"] == "kernel"]
    line = f"{name.removesuffix('.json')}: {len(calls)} calls of P"
    if prepared:
        tasks = [e["name"] for e in prepared if e["cat"] == "task"]
        assert len(set(tasks)) == len(tasks) and all(task.endswith(".P") for task in tasks), tasks
        runs = [e for e in events if e["cat"] == "task" and e["name"] == "s0.F"]
        batches = {e["args"]["micro_batch"] for e in runs}
        line += f" once, {len(runs) // len(batches)} runs of {len(batches)} micro-batches"
    print(line)
