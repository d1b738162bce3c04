"""Writes a small .plcm by hand: make_module.py OUT.plcm [--ranks N] [--optimizer KIND] [--set PATH=JSON]
[--early-drop y|dy] [--drops exact|late] [--tied] [--wait-cycle] [--open-order]
[--version N] [--no-seal] [--manifest].

The model: y = w[tok]; loss = mean((y + c - next / 256)^2), 4 samples of 8 bytes in 2 micro-batches. With two ranks, w
lives on rank 0 and c on rank 1; y goes forward and dy back.
--drops: on one rank, y dies right after the loss has read it, or a run later; dy after its last run.
--wait-cycle: rank 0 waits for dy before it sends y.
--open-order: of two ranks, rank 0 is listed to run one micro-batch after the other, but ranks take what is ready. With
--wait-cycle their lists are what is ready.
--manifest: only writes the manifest, to stdout.
--tied: c, too, is owned by rank 0; its gradient goes there before the step, its new value comes back after it.
"""
import argparse, json, os, re, subprocess, sys

import seal_module

parser = argparse.ArgumentParser()
parser.add_argument("out")
parser.add_argument("--ranks", type=int, default=1)
parser.add_argument("--set", action="append", default=[])
parser.add_argument("--optimizer", default="adamw")
parser.add_argument("--early-drop", choices=["y", "dy"])
parser.add_argument("--drops", choices=["exact", "late"])
parser.add_argument("--tied", action="store_true")
parser.add_argument("--wait-cycle", action="store_true")
parser.add_argument("--open-order", action="store_true")
parser.add_argument("--version", type=int, default=seal_module.VERSION)
parser.add_argument("--no-seal", action="store_true")
parser.add_argument("--bad-size", action="store_true")
parser.add_argument("--bad-json", action="store_true")
parser.add_argument("--nested-plan", type=int, metavar="LEVELS")
parser.add_argument("--manifest", action="store_true")
parser.add_argument("--cc", default="cc")
parser.add_argument("--include", required=True)
arguments = parser.parse_args()

STATES = {"sgd": "", "momentum": "m"}.get(arguments.optimizer, "mv")
SETTINGS = {"sgd": {}, "momentum": {"momentum": 0.9}}.get(arguments.optimizer, {"beta1": 0.9, "beta2": 0.999, "eps": 1e-8})
if arguments.optimizer == "adamw":
    SETTINGS["weight_decay"] = 0.01
TOK, W, C, Y, LOGITS = 4 * 8 * 4, 1024, 64, 64, 4 * 8 * 256 * 4


class Arena:
    """Offsets by first come, in the order of the calls."""

    def __init__(self):
        self.end, self.buffers, self.index = 0, [], {}

    def place(self, size):
        offset = self.end
        self.end += (size + 63) // 64 * 64
        return offset

    def static(self, kind, name, size, **more):
        self.index.setdefault((kind, name), len(self.buffers))
        self.buffers.append({"kind": kind, "name": name, "offset": self.place(size), "bytes": size, **more})

    def operand(self, kind, name):
        return -(self.index[kind, name] + 1)

    def offset(self, kind, name):
        return self.buffers[self.index[kind, name]]["offset"]


def tensors(entry):
    tok = {"name": "tok", "type": "i32", "shape": [4, 8], "batch_axis": 0}
    inputs = [tok] if entry == "infer" else [tok, {**tok, "name": "next"}]
    loss = {"name": "loss", "type": "f32", "shape": [], "batch_axis": -1, "rank": arguments.ranks - 1}
    logits = {"name": "logits", "type": "f32", "shape": [4, 8, 256], "batch_axis": 0, "rank": 0}
    return inputs, [logits] if entry == "infer" else [loss]


def parameters(arena, name, size, train):
    arena.static("parameter", name, size, owned=True)
    if train:
        arena.static("gradient", name, size, site=0)
        for number in range(len(STATES)):
            arena.static("moment", name, size, site=number)


def run(task, mb, at):
    return {"op": "run", "task": task, "mb": mb, "at": at}


def message(op, channel, mb, at=None):
    return {"op": op, "channel": channel, "mb": mb, **({} if at is None else {"at": at})}


def call(kernel, operands, path):
    return {"kernel": kernel, "operands": operands, "path": path}


def task(name, slots, calls):
    """Each slot is a base of its own."""
    return {"name": name, "bases": slots, "slots": [[slot, 0] for slot in range(slots)], "calls": calls}


def rank(stage, arena, tasks, actions):
    return {"stage": stage, "arena_bytes": arena.end, "buffers": arena.buffers, "tasks": tasks, "actions": actions}


def training_entry(train):
    """All on one rank, or embed on rank 0 and the loss on rank 1."""
    one = arguments.ranks == 1
    first = Arena()
    last = first if one else Arena()
    first.static("input", "tok", TOK)
    last.static("input", "next", TOK)
    parameters(first, "embed.w", W, train)
    tied = arguments.tied and train
    parameters(first if tied else last, "head.c", 4, train)
    if tied:
        last.static("parameter", "head.c", 4, owned=False)
        last.static("gradient", "head.c", 4, site=0)
    last.static("output", "loss", 8)
    y = [first.place(Y) for mb in range(2)]
    dy = [first.place(Y) for mb in range(2)]
    y1 = y if one else [last.place(Y) for mb in range(2)]
    dy1 = dy if one else [last.place(Y) for mb in range(2)]
    tok, nxt, loss = first.offset("input", "tok"), last.offset("input", "next"), last.offset("output", "loss")

    forward = task("s0.F", 2, [call(0, [0, first.operand("parameter", "embed.w"), 1], "embed")])
    losses = task("s1.F", 4, [call(1, [0, 1, last.operand("parameter", "head.c"), 2, 3], "head")])
    tasks0, tasks1 = [forward], [losses]
    if train:
        tasks0.append(task("s0.W", 2, [call(2, [0, 1, first.operand("gradient", "embed.w")], "embed")]))
        tasks1.append(task("s1.W", 1, [call(3, [0, last.operand("gradient", "head.c")], "head")]))

    def actions0(mb):
        return [run(0, mb, [tok + mb * 64, y[mb]])]

    def actions1(mb, base):
        list = [run(base, mb, [y1[mb], nxt + mb * 64, loss + mb * 4, dy1[mb]])]
        return list + ([run(base + 1, mb, [dy1[mb]])] if train else [])

    def weights0(mb):
        return [run(1, mb, [tok + mb * 64, dy[mb]])] if train else []

    step = [{"op": "step"}] if train else []
    if one:
        base = len(tasks0)
        actions = [a for mb in range(2) for a in actions0(mb) + actions1(mb, base) + weights0(mb)]
        drop = [{"op": "drop", "mb": 1, "at": y[0], "bytes": 128}]
        if arguments.drops and train:
            drop = []
            for mb in reversed(range(2)):  # gather, loss, sum, scatter
                places = {2 if arguments.drops == "exact" else 3: y[mb], 4: dy[mb]}
                for after in sorted(places, reverse=True):
                    actions.insert(4 * mb + after, {"op": "drop", "mb": mb, "at": places[after], "bytes": 64})
        if arguments.early_drop:  # y of micro-batch 1 dies before the loss reads it, dy before its gradient does
            early = actions.index(run(base if arguments.early_drop == "y" else 1, 1, actions1(1, base)[0]["at"] if
                                      arguments.early_drop == "y" else [tok + 64, dy[1]])) if train else len(actions)
            place = y[1] if arguments.early_drop == "y" else dy[1]
            actions.insert(early, {"op": "drop", "mb": 1, "at": place, "bytes": 64})
        return [rank("s0", first, tasks0 + tasks1, actions + drop + step)], []

    channels = [{"name": "y", "source": 0, "destination": 1, "bytes": 64, "slots": 2, "tag": 0, "per": "micro_batch"}]
    sends = [a for mb in range(2) for a in actions0(mb) + [message("send", 0, mb, y[mb])]]
    receives = [message("post_recv", 0, mb, y1[mb]) for mb in range(2)]
    for mb in range(2):
        receives += [message("wait_recv", 0, mb)] + actions1(mb, 0)
        if train:
            receives += [message("send", 1, mb, dy1[mb])]
    waits = [message("wait_send", 0, mb) for mb in range(2)]
    if train:
        channels.append({**channels[0], "name": "dy", "source": 1, "destination": 0, "tag": 1})
        sends = [message("post_recv", 1, mb, dy[mb]) for mb in range(2)] + sends
        for mb in range(2):
            waits += [message("wait_recv", 1, mb)] + weights0(mb)
            receives += [message("wait_send", 1, mb)]
    if arguments.wait_cycle and train:
        sends.insert(2, waits.pop(waits.index(message("wait_recv", 1, 0))))
    after0, after1 = list(step), []
    if tied:
        # Per step (mb -1): channel 2 takes the gradient to the owner, channel 3 the new value back.
        channels.append({**channels[0], "name": "grad c", "source": 1, "destination": 0, "tag": 2, "per": "step"})
        channels.append({**channels[0], "name": "c", "tag": 3, "per": "step"})
        gradient0, gradient1 = first.offset("gradient", "head.c"), last.offset("gradient", "head.c")
        value0, value1 = first.offset("parameter", "head.c"), last.offset("parameter", "head.c")
        after0 = [message("post_recv", 2, -1, gradient0), message("wait_recv", 2, -1)] + step
        after0 += [message("send", 3, -1, value0), message("wait_send", 3, -1)]
        after1 = [message("send", 2, -1, gradient1), message("wait_send", 2, -1)]
        after1 += [message("post_recv", 3, -1, value1), message("wait_recv", 3, -1)]
    elif train:
        after1 = step
    ranks = [rank("s0", first, tasks0, sends + waits + after0), rank("s1", last, tasks1, receives + after1)]
    if arguments.open_order and train:
        for each in ranks:
            each["after"] = [[i - 1] if i else [] for i in range(len(each["actions"]))]
        if not arguments.wait_cycle:
            # post_recv, post_recv, F, send, F, send, wait_send, wait_send, wait_recv, W, wait_recv, W, step
            ranks[0]["actions"] = [ranks[0]["actions"][i] for i in (0, 1, 2, 3, 8, 9, 4, 5, 10, 11, 6, 7, 12)]
            ranks[0]["after"] = [[], [0], [], [2], [0], [2, 4], [2], [3, 6], [1, 4], [5, 6, 8], [3], [7, 10], [9, 11]]
    return ranks, channels


def infer_entry():
    arena = Arena()
    arena.static("input", "tok", TOK)
    parameters(arena, "embed.w", W, False)
    parameters(arena, "head.c", 4, False)
    arena.static("output", "logits", LOGITS)
    y = arena.place(Y)
    both = task("s0.F", 3, [
        call(0, [0, arena.operand("parameter", "embed.w"), 1], "embed"),
        call(4, [0, arena.operand("parameter", "embed.w"), arena.operand("parameter", "head.c"), 2], "head")])
    tok, logits = arena.offset("input", "tok"), arena.offset("output", "logits")
    actions = [run(0, mb, [tok + mb * 64, y, logits + mb * LOGITS // 2]) for mb in range(2)]
    other = {"stage": "s1", "arena_bytes": 0, "buffers": [], "tasks": [], "actions": []}
    return [rank("s0", arena, [both], actions)] + [other] * (arguments.ranks - 1), []


def entry(name):
    ranks, channels = infer_entry() if name == "infer" else training_entry(name == "train")
    inputs, outputs = tensors(name)
    return {"batch": 4, "micro_batches": 2, "inputs": inputs, "outputs": outputs,
            "kernels": list(range(len(results) - 1)), "channels": channels, "ranks": ranks}


BLOCK = 1024
UPDATE = "update_" + arguments.optimizer
results = {"gather": [(2, 16)], "loss": [(3, 1), (4, 16)], "scatter": [(2, 256)], "sum": [(1, 1)], "logits": [(3, 4096)],
           UPDATE: [(2 + len(STATES) + len(SETTINGS) + 1 + 2 * ("beta1" in SETTINGS) + i, BLOCK) for i in range(1 + len(STATES))]}


def update():
    """The rules as one kernel on a block: tensors, then scalars, then results."""
    scalars = ["rate", *SETTINGS] + ["power[%s, step]" % name for name in SETTINGS if name.startswith("beta")]
    inputs, updated = ["w", "g", *STATES, *scalars], ["w", *STATES]
    operands = [-1 - port for port in range(len(inputs) + len(updated))]
    nothing = {"shape": [], "inputs": [], "results": [], "scratch_bytes": 0, "in_place": False, "calls": []}
    elements = {"shape": [], "inputs": inputs, "results": updated, "scratch_bytes": 0, "in_place": True,
                "calls": [{"kernel": len(results) - 1, "operands": operands}]}
    return {"scalars": nothing, "tensors": [elements]}


def kernel(name, chunks, where):
    gathers = [{"where": ["tiny.ein:3:12"], "extent": 256}] if name == "gather" else []
    return {"name": "tiny." + name, "symbol": "tiny_" + name, "chunks": chunks, "flops": 64, "bytes": 256, "ns": 1000,
            "where": ["tiny.ein:" + where], "gathers": gathers, "infinite": False, "loop": None, "inputs": [],
            "results": [{"operand": o, "type": "f32", "elements": n} for o, n in results[name]]}


manifest = {
    "plcm": seal_module.VERSION, "model": "tiny", "source": "tiny.ein", "numerics_key": "ab" * 32, "real": "f32",
    "threads_per_stage": 1, "transport": "threads", "profiling": False, "target_features": [],
    "optimizer": {"kind": arguments.optimizer, "lr": 1e-2,
                  "forms": [{"kind": arguments.optimizer, "parameter": "w", "gradient": "g", "axes": 0, "open": True,
                             "states": [{"name": name, "init": 0, "lacks": []} for name in STATES]}],
                  "settings": [{"name": name, "value": value, "least": 0, "most": 1 if name[0] in "bm" else 1e18, "above": name == "eps",
                                "below": name[0] in "bm"} for name, value in SETTINGS.items()],
                  "schedule": {"kind": "constant", "warmup": 0, "total": 0}, "clip_norm": 0, "layer_decay": 1, "decay_matrices_only": False, "groups": [],
                  "nonfinite": "stop", "scales_loss": False, "loss_scale": 0},
    "updates": [update()],
    "rates": dict.fromkeys(re.findall(r'^(?:AMX_RATE|RATE|FACTOR)\(\w+, "([^"]+)"', open(os.path.join(arguments.include, "plc/Support/Rates.def")).read(), re.M), 1.0),
    "parameters": [
        {"path": "embed.w", "type": "f32", "shape": [256], "init": {"kind": "normal", "scale": 0.02}, "frozen": False},
        {"path": "head.c", "type": "f32", "shape": [1], "init": {"kind": "constant", "value": 0.0}, "frozen": False}],
    "kernels": [kernel("gather", 2, "3:3"), kernel("loss", 1, "5:3"), kernel("scatter", 1, "3:3"),
                kernel("sum", 1, "5:3"), kernel("logits", 2, "4:3"), kernel(UPDATE, 1, "6:1")],
    "code_bytes": 1000, "plan": {"stages": arguments.ranks},
    "entries": {name: entry(name) for name in ("train", "eval", "infer")},
}

for change in arguments.set:
    path, value = change.split("=", 1)
    keys = [int(k[1:-1]) if k[0] == "[" else k for k in re.findall(r"\[-?\d+\]|[^.\[\]]+", path)]
    target = manifest
    for key in keys[:-1]:
        target = target[key]
    if value == "delete":
        del target[keys[-1]]
    else:
        target[keys[-1]] = json.loads(value)

text = json.dumps(manifest).encode()
if arguments.nested_plan:
    text = text.replace(b'"plan": {"stages": 1}', b'"plan": ' + b"[" * arguments.nested_plan + b"]" * arguments.nested_plan)
if arguments.manifest:
    sys.stdout.buffer.write(text)
    sys.exit()
if arguments.bad_json:
    text = text[:-1]
source = arguments.out + ".c"
with open(source, "w") as file:
    file.write('#include "%s"\n' % os.path.join(os.path.dirname(os.path.abspath(__file__)), "tiny_kernels.c"))
    file.write("const char plc_manifest[] = {%s};\n" % ",".join(map(str, text)))
    file.write("const uint64_t plc_manifest_size = %du;\n" % (2**40 if arguments.bad_size else len(text)))
command = [arguments.cc, "-shared", "-fPIC", "-O1", "-ffp-contract=off", "-fno-math-errno", "-w", "-I", arguments.include, source, "-o",
           arguments.out]
subprocess.run(command, check=True)
if not arguments.no_seal:
    seal_module.seal(arguments.out, arguments.version)
