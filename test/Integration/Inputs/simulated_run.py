"""simulated_run.py M.plcm CLUSTER: a simulated step has the tasks of a real one, and its trace as well as its text tell the plan's bytes."""
import json
import re
import subprocess
import sys

module, cluster = sys.argv[1:]


def tasks(file):
    events = [event for event in json.load(open(file))["traceEvents"] if event.get("cat") == "task"]
    events.sort(key=lambda event: (event["tid"], event["ts"]))
    return [(event["tid"], event["name"], event["args"]["micro_batch"]) for event in events if event["args"]["entry"] == "train"]


subprocess.run(["plc-run", "bench", module, "--warmup", "0", "--repeats", "1", "--trace", "real.json"], check=True, capture_output=True)
text = subprocess.run(["plc-run", "simulate", module, "--cluster", cluster, "--trace", "simulated.json"], check=True, capture_output=True, text=True).stdout
if not tasks("real.json") or tasks("real.json") != tasks("simulated.json"):
    sys.exit(f"the run does {tasks('real.json')}, the simulation {tasks('simulated.json')}")
bench = subprocess.run(["plc-run", "bench", module, "--warmup", "0", "--repeats", "1"], check=True, capture_output=True, text=True).stdout
planned = re.findall(r"^rank \d+ +planned (\d+) bytes, measured (\d+) bytes", bench, re.M)
simulated = re.findall(r" (\d+) bytes$", text, re.M)
if [p for p, _ in planned] != simulated or any(p != m for p, m in planned):
    sys.exit(f"planned and measured {planned}, simulated {simulated}")
