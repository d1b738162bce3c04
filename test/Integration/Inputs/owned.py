"""owned.py MODULE: what the replicas of a module's training entry own: each trained parameter by one rank, which alone has its
moments, its average and all its groups. Prints, for each rank of the first replica, how unevenly moments are divided among its replicas."""
import collections
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Runtime", "Inputs"))
import seal_module

train = seal_module.manifest(pathlib.Path(sys.argv[1]).read_bytes())[0]["entries"]["train"]
replicas, groups = train["replicas"], train["accumulation_groups"]
first = len(train["ranks"]) // replicas
kept = {(place["kind"], place.get("site")) for rank in train["ranks"] for place in rank["buffers"]
        if place["kind"] in ("moment", "average")}
owners, held = collections.defaultdict(list), [0] * len(train["ranks"])
for number, rank in enumerate(train["ranks"]):
    found = collections.defaultdict(collections.Counter)
    for place in rank["buffers"]:
        if place["kind"] == "gradient":
            found[place["name"]]["groups", place["site"]] += place.get("groups", 1)
        if place["kind"] in ("moment", "average"):
            found[place["name"]][place["kind"], place.get("site")] += 1
            held[number] += place["bytes"]
        if place["kind"] == "parameter" and place["owned"]:
            owners[place["name"]].append(number)
    for name, counts in found.items():
        owned = number in owners[name]
        for kind in kept:
            if counts[kind] != owned:
                sys.exit(f"rank {number} has {counts[kind]} {kind[0]} of '{name}', of which it is {'' if owned else 'no '}owner")
        for key, count in counts.items():
            if key[0] == "groups" and count != (groups if owned else groups // replicas):
                sys.exit(f"rank {number} has {count} of {groups} groups of site {key[1]} of '{name}'")
for name, ranks in owners.items():
    if len(ranks) != 1:
        sys.exit(f"'{name}' is owned by ranks {ranks}")
words = " and ".join(sorted({kind + "s" for kind, _ in kept}, reverse=True))
for rank in range(first):
    of = [held[rank + replica * first] for replica in range(replicas)]
    print(f"rank {rank}: {replicas} replicas hold {sum(of)} bytes of {words}, none more than "
          f"{100 * max(of) * replicas // sum(of)} % of its part")
