"""check_trace_order.py F.json: of rank 0's sends of `y` and rank 1's waits for it, none ends its wait before the other has begun to send."""
import json, sys

events = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] == "X" and e["args"]["entry"] == "train"]
sends = [e["ts"] for e in events if e["cat"] == "send" and e["name"] == "y" and e["tid"] == 0]
ends = [e["ts"] + e["dur"] for e in events if e["cat"] == "wait" and e["name"] == "y" and e["tid"] == 1]
assert len(sends) == len(ends) > 0, (sends, ends)
assert all(send <= end for send, end in zip(sends, ends)), (sends, ends)
assert min(e["ts"] for e in events) == 0 or min(e["ts"] for e in events) > 0
