"""plan_sizes.py FEW MANY: two plans of one model, in few and in many micro-batches, as `--emit=addresses` prints them: prints
what a micro-batch adds to each, and fails unless it is the same, and frames are the same, so that nothing is per value and
micro-batch."""
import re
import sys


def sizes(path):
    """Frames by rank, and for each micro-batch: actions, and addresses in them."""
    frames, actions, addresses, rank = {}, 0, 0, None
    for line in open(path):
        if found := re.search(r"micro_batches = (\d+)", line):
            micro_batches = int(found.group(1))
        if found := re.search(r"plan\.rank (\d+)", line):
            rank = int(found.group(1))
            frames[rank] = []
        if found := re.search(r"plan\.frame .*\]", line):
            frames[rank].append(found.group(0))
        if re.search(r"plan\.(run|post_recv|wait_recv|send|wait_send|drop)\b", line) and "mb -1" not in line:
            actions += 1
            addresses += len(re.findall(r"\d+", re.search(r"(?<= at )(\[[^\]]*\]|\d+)|$", line).group(0)))
    return frames, actions / micro_batches, addresses / micro_batches


few, many = map(sizes, sys.argv[1:])
for frames, actions, addresses in (few, many):
    slots = sum(len(re.findall(r"\d+", frame.split("slots")[1])) // 2 for each in frames.values() for frame in each)
    print(f"{slots} slots in frames; a micro-batch adds {actions:g} actions with {addresses:g} addresses")
sys.exit(few != many or not any(few[0].values()))
