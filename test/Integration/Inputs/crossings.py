"""crossings.py NUMERICS.mlir MODULE.plcm: checks what a training step sends against the least that its cut needs.

The least is computed here, from the joint program (--emit=numerics) and from which rank runs which call: each value once
per other rank that uses it, per micro-batch. A sum of two contributions to a gradient is made on the rank of both, if it is
one, else where the value was made. The module's channels must carry exactly that, from the maker straight to the user, and
its action tables must send and receive each once per micro-batch, on these two ranks alone."""
import collections
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Runtime", "Inputs"))
import seal_module

CALL = re.compile(r"(?:(%\w+)(?::\d+)? = )?ein\.call @(\S+?)\((.*?)\).*? path \"(.*?)\".* : \((.*?)\) -> (.*)")
WIDTH = {"f32": 4, "f64": 8, "i32": 4, "i64": 8, "i1": 1}


def size(tensor):
    *shape, element = re.fullmatch(r"tensor<(.*)>", tensor).group(1).split("x")
    count = WIDTH[element]
    for extent in shape:
        count *= int(extent)
    return count


def needed(text, rank_of):
    """(source, destination, bytes) of each crossing of a micro-batch."""
    sums = set(re.findall(r"ein\.func @(\S+?)\(.*role = \"sum\"", text))
    home, bytes_of, used = {}, {}, collections.defaultdict(set)
    for line in text[text.index("ein.model"):].splitlines():
        call = CALL.search(line)
        if not call:
            continue
        result, callee, operands, path, _, types = call.groups()
        operands = [operand for operand in operands.split(", ") if operand]
        rank = rank_of[path]
        ranks = {home.get(operand) for operand in operands}
        if callee in sums and len(ranks) == 1 and None not in ranks:
            rank = ranks.pop()
        for operand in operands:
            used[operand].add(rank)
        types = re.findall(r"tensor<.*?>", types)
        for number, tensor in enumerate(types):
            name = result if len(types) == 1 else f"{result}#{number}"
            home[name], bytes_of[name] = rank, size(tensor)
    return sorted((home[value], rank, bytes_of[value]) for value, ranks in used.items() if value in home
                  for rank in ranks if rank != home[value])


def check_actions(train):
    """Each channel once per micro-batch: sent on its source, received on its destination, known to no other rank."""
    seen = collections.Counter()
    for number, rank in enumerate(train["ranks"]):
        for action in rank["actions"]:
            if "channel" in action:
                seen[number, action["op"], action["channel"], action["mb"]] += 1
    expected = collections.Counter()
    for index, channel in enumerate(train["channels"]):
        for mb in range(train["micro_batches"]):
            for rank, operations in ((channel["source"], ("send", "wait_send")), (channel["destination"], ("post_recv", "wait_recv"))):
                for operation in operations:
                    expected[rank, operation, index, mb] += 1
    if seen != expected:
        sys.exit(f"actions differ: {sorted((seen - expected).items())} beyond, {sorted((expected - seen).items())} missing")


numerics, module = sys.argv[1:]
train = seal_module.manifest(pathlib.Path(module).read_bytes())[0]["entries"]["train"]
if any(channel["per"] != "micro_batch" for channel in train["channels"]):
    sys.exit("a channel per step: tied parameters are not counted here")
rank_of = {call["path"]: number for number, rank in enumerate(train["ranks"]) for task in rank["tasks"]
           if task["name"].endswith(".F") for call in task["calls"]}
least = needed(pathlib.Path(numerics).read_text(), rank_of)
found = sorted((channel["source"], channel["destination"], channel["bytes"]) for channel in train["channels"])
if found != least:
    sys.exit(f"channels {found}\nneeded   {least}")
check_actions(train)
far = sum(abs(source - destination) > 1 for source, destination, _ in found)
total = sum(bytes for _, _, bytes in found) * train["micro_batches"]
print(f"{len(train['ranks'])} ranks, {len(found)} crossings, {far} past other ranks, {total} bytes per step: the least")
