"""tasks_in_order.py F.json: of each track the tasks of the first run, in the order in which they began."""
import json, sys

events = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] == "X" and e["cat"] == "task"]
for track in sorted({e["tid"] for e in events}):
    order = sorted((e for e in events if e["tid"] == track), key=lambda e: e["ts"])
    names = [f"{e['name']} {e['args']['micro_batch']}" for e in order]
    print(f"rank {track}:", ", ".join(names[:len(set(names))]))
