"""perfect_packing.py BLOCKS: an instance whose answer, given and said to be exact, ends at its bound; a search that does
not know how it was made hardly finds it. The packing is a rectangle of times and bytes, cut in two until it has so
many blocks."""
import random
import sys

blocks_wanted = int(sys.argv[1])
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
