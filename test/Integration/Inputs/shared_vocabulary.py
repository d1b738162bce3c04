"""shared_vocabulary.py PLAN MODULE: what the ranks of a plan, as plc-compile prints it, send each other in a micro-batch at most, in
bytes, and the bytes of the table 'embed.wte' and of its moments on each rank of the module."""
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Runtime", "Inputs"))
import seal_module

plan = open(sys.argv[1]).read()
rank = dict(re.findall(r"^s(\d+) +(\d+) ", plan, re.M))
units = {"B": 1, "KiB": 1024}
sent = [float(count) * units[unit]
        for source, to, count, unit in re.findall(r"^route s(\d+) -> s(\d+): .*, ([\d.]+) (K?i?B) per micro-batch", plan, re.M)
        if rank[source] != rank[to]]
print("most", int(max(sent)))
for number, each in enumerate(seal_module.manifest(pathlib.Path(sys.argv[2]).read_bytes())[0]["entries"]["train"]["ranks"]):
    places = [(place["kind"] + str(place["site"] if place["kind"] == "moment" else ""), place["name"], place["bytes"]) for place in each["buffers"] if "embed.wte" in place["name"]]
    print("rank", number, sorted(place for place in places if place[0] in ("parameter", "moment0", "moment1")))
