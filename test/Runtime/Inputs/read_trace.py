"""read_trace.py F.json: counts the events of entry `train` on each track, and checks that they follow each other."""
import collections, json, sys

# Who helps whom depends on the moment.
events = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e.get("cat") != "help"]
names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
for track, name in sorted(names.items()):
    mine = [e for e in events if e["ph"] == "X" and e["tid"] == track and e["args"]["entry"] == "train"]
    counts = collections.Counter(e["cat"] + " " + e["name"] for e in mine)
    print(name + ":", ", ".join(f"{counts[key]} {key}" for key in sorted(counts)))
    end = 0
    for event in (e for e in mine if e["cat"] != "kernel"):  # kernels lie inside tasks
        assert event["ts"] >= end - 1e-3 and event["dur"] >= 0, event
        end = event["ts"] + event["dur"]
