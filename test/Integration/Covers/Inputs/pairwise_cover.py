"""pairwise_cover.py BATCH TRANSPORTS FOLDER MODEL.ein: a plan changes no bit, and planned bytes are measured bytes.
pairwise_cover.py --check MODEL.ein: what the cover is.

The rows of the cover together hold every pair of values of any two factors below. One test runs the rows of one batch:
these have the same bits of every loss, of the norm and of what is saved in the end (plan_cover.py). TRANSPORTS: those that
this machine has, with commas; without a library, its rows run on threads."""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import pairs
import plan_cover

SIZES = ["-DS=8", "-DD=16", "-DH=2", "-DL=4"]
STEPS = 20
# Parts of the peak that policy `budget` gets, the first that fits: a smaller one takes four times as long to plan where none fits.
BUDGETS = (0.92, 1)
# What changes the numbers: the batch, its micro-batches, the groups in which their gradients are added, and the update.
BATCHES = {
    "even": (8, 4, 4, ["optimizer.kind=momentum", "optimizer.clip_norm=0.25", "optimizer.lr=5e-3"]),
    "ragged": (7, 4, 4, ["optimizer.lr=5e-3", "optimizer.ema=0.9"]),  # micro-batches of 2, 2, 2, 1 samples
    "uneven": (10, 4, 2, ["optimizer.clip_norm=0.5", "optimizer.lr=2e-3"]),  # of 3, 3, 2, 2
    "odd": (10, 5, 1, ["optimizer.lr=2e-3", "optimizer.clip_value=0.01", "optimizer.schedule.kind=inverse_sqrt"]),
    "few": (4, 2, 2, ["optimizer.lr=5e-3"]),  # fewer than stages
    "many": (10, 8, 4, ["optimizer.clip_norm=0.5", "optimizer.lr=2e-3"]),
}
# What changes no bit.
FACTORS = {
    "batch": list(BATCHES),
    "stages": [1, 2, 3, 4],
    "schedule": ["1f1b", "gpipe", "interleaved", "zb_h1", "zb_h2", "zbv", "auto"],
    "remat": ["none", "uniform", "budget"],
    "threads": [1, 2],
    "resumed": [False, True],
    "transport": ["threads", "openmpi", "mpich"],
    "replicas": [1, 2, 4],
    "mode": ["lazy", "hybrid"],
    "arena": ["free", "checked"],
}
NAMES = list(FACTORS)
# The replicas of a plan divide its groups of gradients.
IMPOSSIBLE = frozenset((NAMES.index("batch"), batch, NAMES.index("replicas"), replicas)
                       for batch, (_, _, groups, _) in BATCHES.items() for replicas in FACTORS["replicas"] if groups % replicas)


def rows():
    return [dict(zip(NAMES, row)) for row in pairs.cover(list(FACTORS.values()), IMPOSSIBLE)]


def arguments(model, batch):
    size, micro_batches, groups, update = BATCHES[batch]
    sets = [f"parallelism.micro_batches={micro_batches}", f"gradient.lanes={groups}", *update]
    return [model, *SIZES, f"-DB={size}", *(word for each in sets for word in ("--set", each))]


def run(batch, transports, folder, model):
    counts = [count for count in FACTORS["replicas"] if BATCHES[batch][2] % count == 0]
    cover = plan_cover.Cover(folder, STEPS, arguments(model, batch), transports, counts, FACTORS["mode"], BUDGETS)
    chosen = [row for row in rows() if row["batch"] == batch]
    for row in chosen:
        transport = row["transport"] if row["transport"] in transports else "threads"
        cover.row(row["stages"], row["schedule"], row["remat"], row["threads"], row["resumed"], transport, row["replicas"],
                  row["mode"], *["--check-arena"] * (row["arena"] == "checked"))
    # Of the other batches some keep the budget by another cut alone.
    cover.check_recomputed(FACTORS["remat"] if batch == "even" else ["uniform"])
    print(f"{len(chosen)} plans agree bit for bit in {STEPS} steps, and wrote what they planned")


def check(model):
    """Every possible pair is in a row, every impossible one is refused, and every batch has a test."""
    factors = list(FACTORS.values())
    found = set().union(*(pairs.pairs_of(tuple(row.values())) for row in rows()))
    every = set(pairs.possible_pairs(factors))
    if rows() != rows() or found != every - IMPOSSIBLE:
        sys.exit(f"not covered: {sorted(every - IMPOSSIBLE - found, key=str)}; impossible: {sorted(found & IMPOSSIBLE, key=str)}")
    for _, batch, _, replicas in sorted(IMPOSSIBLE):
        command = ["plc-compile", *arguments(model, batch), "--set", f"parallelism.replicas={replicas}", "--emit=schedule"]
        if subprocess.run(command, capture_output=True).returncode != 2:
            sys.exit(f"{replicas} replicas of batch {batch} are possible")
    tests = {test.stem for test in pathlib.Path(__file__).resolve().parents[1].glob("*.test")} - {"pairs"}
    if tests != BATCHES.keys():
        sys.exit(f"tests of {sorted(tests)}, batches {sorted(BATCHES)}")
    print(f"{len(rows())} plans hold {len(found)} pairs, all but {len(IMPOSSIBLE)} that are refused")


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        check(sys.argv[2])
    else:
        run(sys.argv[1], sys.argv[2].split(","), *sys.argv[3:])
