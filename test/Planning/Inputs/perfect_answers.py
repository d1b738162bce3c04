"""perfect_answers.py BLOCKS PARTS: instances whose answers, given and said to be exact, end at their bounds; a search that does
not know how they were made hardly finds one. The packing is a rectangle of times and bytes, cut in two until it has so
many blocks; the partition has so many parts in each of four stages, of random times with equal sums."""
import random
import sys

blocks_wanted, parts_wanted = map(int, sys.argv[1:])
choose = random.Random(1)
blocks = [(0, 4096, 0, 1 << 20)]  # begin, end, offset, end in bytes
while len(blocks) < blocks_wanted:
    blocks.sort(key=lambda block: (block[1] - block[0]) * (block[3] - block[2]))
    begin, end, low, high = blocks.pop()
    if choose.random() < 0.5:
        cut = choose.randrange(begin + 1, end)
        blocks += [(begin, cut, low, high), (cut, end, low, high)]
    else:
        cut = choose.randrange(low + 1, high)
        blocks += [(begin, end, low, cut), (begin, end, cut, high)]
print(f"plan.pack_instance @packing alignment 1 packed {1 << 20} bound {1 << 20} exact {{")
for begin, end, low, high in blocks:
    print(f"  plan.block {high - low} from {begin} to {end} at {low}")
print("}")

parts = []
for stage in range(4):
    cuts = [0, *sorted(choose.sample(range(1, 1 << 40), parts_wanted - 1)), 1 << 40]
    parts += [(end - begin, stage) for begin, end in zip(cuts, cuts[1:])]
choose.shuffle(parts)
print("plan.partition_instance @partition graph stages 4 in_flight [1, 1, 1, 1] stage_of",
      [stage for _, stage in parts], f"slowest {1 << 40} bound {1 << 40} exact {{")
for number, (ns, _) in enumerate(parts):
    print(f'  plan.part "{number}" ns {ns} kept 0 scratch 0')
print("}")
