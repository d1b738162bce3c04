"""memory_holds.py LOG...: fails unless each summary's ranks measured what was planned in their arenas, and no more than the
bound outside."""
import json, sys

for log in sys.argv[1:]:
    ranks = json.loads(open(log).readlines()[-1])["summary"]["ranks"]
    for rank in ranks:
        good = rank["planned_bytes"] == rank["measured_bytes"] and 0 < rank["outside_measured"] <= rank["outside_bound"]
        if not good:
            sys.exit(f"{log}: {rank}")
    print(f"{len(ranks)} ranks hold")
