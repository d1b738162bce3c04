"""edit_pt2.py IN OUT [EDIT..]: copies an archive with changes, by a writer of stored ZIPs that can lie.

MEMBER is a name without the folder of the archive.
--set MEMBER:PATH=JSON    a value in a member that is JSON; PATH as graph_module.graph.nodes[0].target
--drop MEMBER:PATH        removes it
--text MEMBER=TEXT        the bytes of a member, a new one if there is none
--remove MEMBER           --rename MEMBER=NAME   NAME with folder
--grow MEMBER=BYTES       spaces behind it
--fill MEMBER:PATH=NUMBER a list of as many copies of its first element
--entry MEMBER:FIELD=N    a field of its entry in the directory: flags, method, stored, size, disk, header, name
--end FIELD=N             a field of the end record: count, bytes, offset, end64 (of the 64-bit record); +N adds
--twice MEMBER            a second time
--zip64                   with 64-bit sizes and offsets
--comment TEXT            behind the end record
--cut N                   leaves out the last N bytes
"""
import argparse
import json
import re
import struct
import zipfile

parser = argparse.ArgumentParser()
parser.add_argument("source")
parser.add_argument("out")
for flag in ("set", "drop", "text", "remove", "rename", "grow", "fill", "entry", "end", "twice"):
    parser.add_argument("--" + flag, action="append", default=[])
parser.add_argument("--zip64", action="store_true")
parser.add_argument("--comment", default="")
parser.add_argument("--cut", type=int, default=0)
arguments = parser.parse_args()

with zipfile.ZipFile(arguments.source) as archive:
    members = {name: archive.read(name) for name in archive.namelist()}
folder = next(iter(members)).split("/")[0] + "/"


def edit(text, change):
    """Applies `change(holder, key)` to a value in a member that is JSON."""
    name, path = text.split(":", 1)
    root = json.loads(members[folder + name])
    steps = [int(number) if number else key for key, number in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path.split("=", 1)[0])]
    holder = root
    for step in steps[:-1]:
        holder = holder[step]
    change(holder, steps[-1])
    members[folder + name] = json.dumps(root).encode()


for text in arguments.set:
    edit(text, lambda holder, key: holder.__setitem__(key, json.loads(text.split("=", 1)[1])))
for text in arguments.drop:
    edit(text, lambda holder, key: holder.__delitem__(key))
for text in arguments.fill:
    edit(text, lambda holder, key: holder.__setitem__(key, holder[key][:1] * int(text.split("=", 1)[1])))
for text in arguments.text:
    name, data = text.split("=", 1)
    members[folder + name] = data.encode()
for text in arguments.grow:
    name, count = text.split("=")
    members[folder + name] += b" " * int(count)
for name in arguments.remove:
    del members[folder + name]
for text in arguments.rename:
    name, new = text.split("=", 1)
    members = {new if each == folder + name else each: data for each, data in members.items()}
lies = {}
for text in arguments.entry:
    name, field, number = re.fullmatch(r"(.*):(\w+)=(.*)", text).groups()
    lies.setdefault(folder + name, {})[field] = number if field == "name" else int(number)

data, directory = b"", b""
repeated = [(folder + name, members[folder + name]) for name in arguments.twice]
for name, content in [*members.items(), *repeated]:
    entry = {"flags": 0, "method": 0, "stored": len(content), "size": len(content), "disk": 0, "header": len(data), "name": name}
    entry |= lies.get(name, {})
    data += struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 0, 0, 0, 0, len(content), len(content), len(name), 0) + name.encode() + content
    sizes = (entry["size"], entry["stored"], entry["header"])
    extra = struct.pack("<HHQQQ", 1, 24, *sizes) if arguments.zip64 else b""
    size, stored, header = (0xFFFFFFFF,) * 3 if arguments.zip64 else sizes
    directory += struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, entry["flags"], entry["method"], 0, 0, 0, stored, size,
                             len(entry["name"]), len(extra), 0, entry["disk"], 0, 0, header) + entry["name"].encode() + extra
end = {"count": len(members) + len(repeated), "bytes": len(directory), "offset": len(data), "end64": len(data) + len(directory)}
for field, number in (text.split("=") for text in arguments.end):
    end[field] = int(number) + (end[field] if number.startswith("+") else 0)
tail = b""
if arguments.zip64:
    tail = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 20, 20, 0, 0, end["count"], end["count"], end["bytes"], end["offset"])
    tail += struct.pack("<IIQI", 0x07064B50, 0, end["end64"], 1)
    end = {"count": 0xFFFF, "bytes": 0xFFFFFFFF, "offset": 0xFFFFFFFF}
tail += struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, end["count"], end["count"], end["bytes"], end["offset"], len(arguments.comment))
with open(arguments.out, "wb") as file:
    whole = data + directory + tail + arguments.comment.encode()
    file.write(whole[: len(whole) - arguments.cut])
