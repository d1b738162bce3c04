"""explained.py JSON TEXT: whether an explanation as data agrees with itself, and with the same one as text."""
import json
import re
import sys

data, text = json.load(open(sys.argv[1])), open(sys.argv[2]).read()
tasks = data["tasks"]
if max(task["end_ns"] for task in tasks) == data["step_ns"]:
    print(len(tasks), "tasks end with the step")
busy = [sum(task["end_ns"] - task["begin_ns"] for task in tasks if task["rank"] == rank) for rank in range(len(data["ranks"]))]
print(", ".join(f"rank {rank} is busy for its tasks" for rank, row in enumerate(data["ranks"]) if row["busy_ns"] == busy[rank] == sum(part["ns"] for part in row["work"])))
told = re.findall(r"^arena of rank (\d+): ([0-9.]+) KiB", text, re.M)
if told == [(str(arena["rank"]), f"{arena['bytes'] / 1024:.1f}") for arena in data["arenas"]] and all(
        sum(each["bytes"] for each in arena["residents"]) == arena["live_bytes"] for arena in data["arenas"]):
    print("arenas as in the text")
