"""Random strategies for random programs (random_program.py, random_layers.py), and which refusals of one are true."""
import re

# What plc-compile may say of a pair that is drawn: its exit code, the key that it blames, the text; and the keys that another try leaves out.
REFUSALS = {
    "fewer layers than stages": (3, "parallelism.stages", r"\d+ stages but model '\w+' has \d+ (layer call|kernel)s? to cut", ("stages",)),
    "rank without a part": (2, "parallelism.shard", r"rank \d+ would have nothing to do: no parameter with a divided size is in stage", ("ranks",)),
    "size that cannot be divided": (2, "parallelism.shard", r"parameter '.*' is divided in \d+ parts but needed as a whole|size '\w+' is \d+ but is divided|no parameter has an axis of size",
                                    ("shard",)),
    "layer that there is not": (2, "checkpoint.layers", r"layer \d+ is selected but the model has \d+ layers?", ("layers",)),
    "balance of other layers": (2, "parallelism.balance", r"balance has \d+ (layer call|kernel)s but model '\w+' has \d+", ("balance",)),
    "group without parameters": (2, "optimizer.group", r"no parameter has a path like|no parameter is left for the group", ("group",)),
    "budget": (3, "memory.budget", r"no plan fits: ", ("budget",)),
}


class Strategy:
    """`numbers` decide bits, `plan` does not: keys and their values."""

    def __init__(self, draw, program):
        self.draw, self.program = draw, program
        pick, parts = draw.choice, program.micro_batches
        groups = pick([n for n in range(1, parts + 1) if parts % n == 0])
        self.numbers = {"parallelism.micro_batches": parts, "gradient.lanes": groups, "optimizer.lr": "1e-2",
                        "precision.compute": pick(["f32", "f32", "f32", "f64"]), 
                        "optimizer.kind": pick(["sgd", "momentum", "nesterov", "adam", "adamw", "lion", "rmsprop", "adagrad"])}
        if self.flip(0.2):
            self.numbers["optimizer.clip_norm"] = 0.1
        if self.flip(0.3):
            self.numbers["gradient.accumulation_steps"] = 2
        mode = pick(["lazy", "lazy", "hybrid", "hybrid", "eager"])
        self.plan = {"mode": mode, "fusion": "false" if mode == "eager" else pick(["true", "true", "true", "false"]),
                     "memory.strategy": pick(["pooled", "pooled", "standard", "cached", "minimal-peak"]),
                     "machine.threads_per_stage": pick([1, 1, 2]), "machine.contractions": pick(["auto", "own", "blis"])}
        if self.flip(0.4):
            self.divideSize()
        self.chooseStages(groups)
        self.chooseCheckpoints()
        self.budget = pick([0.5, 0.7, 0.85, 0.95, 1.0, 1.05]) if self.flip(0.15) else None  # of what the plan takes without
        if self.budget and self.flip(0.4):
            self.plan = {key: value for key, value in self.plan.items() if not key.startswith("checkpoint.")}
            self.plan["checkpoint.policy"] = "budget"
        if self.flip(0.2):
            self.numbers["optimizer.ema"] = 0.75
        if self.flip(0.2):
            self.numbers["optimizer.clip_value"] = 0.01
        if self.flip(0.3):
            self.chooseGroups()
        self.refused = []  # kinds

    def flip(self, chance):
        return self.draw.random() < chance

    def divideSize(self):
        axes = set(re.findall(r"\w+", " ".join(re.findall(r"^ *param .*", self.program.text(), re.M))))
        sizes = [(name, parts) for name, extent in self.program.dims.items() for parts in (2, 2, 3, 4) if name in axes and extent % parts == 0]
        if not sizes:
            return
        (name, parts), more = self.draw.choice(sizes), {}
        if self.flip(0.3):
            more = dict(self.draw.sample([size for size in sizes if size[1] == parts], 1))
        self.numbers["parallelism.shard"] = "{%s}" % ", ".join(f"{key}={value}" for key, value in ({name: parts} | more).items())
        if self.flip(0.5):
            self.plan["parallelism.shard_ranks"] = self.draw.choice([n for n in range(1, parts + 1) if parts % n == 0])

    def chooseGroups(self):
        names = re.findall(r"^ *param (\w+)", self.program.text(), re.M) or ["w"]
        values = {"lr": 0.02, "clip_norm": 0.05, "clip_value": 0.01}
        groups = [", ".join([f'match="*.{name}*"'] + [f"{key}={values[key]}" for key in self.draw.sample(sorted(values), self.draw.randint(0, 2))])
                  for name in self.draw.sample(names, min(len(names), self.draw.randint(1, 2)))]
        self.numbers["optimizer.group"] = "[%s]" % ", ".join("{%s}" % group for group in groups)
        if self.flip(0.5):
            self.numbers["optimizer.layer_decay"] = 0.5

    def chooseStages(self, groups):
        pick, plan = self.draw.choice, self.plan
        if self.flip(0.5):
            plan["parallelism.replicas"] = pick([n for n in range(1, min(groups, 4) + 1) if groups % n == 0])
        stages = self.draw.randint(1, max(1, min(5, self.program.calls)))
        if self.flip(0.3):
            plan["parallelism.grain"], stages = "equation", self.draw.randint(1, 6)
        if self.flip(0.05) and self.program.calls <= 3 and "parallelism.grain" not in plan:  # larger ones take minutes
            plan["parallelism.kind"], plan["machine.ranks"] = "automatic", self.draw.randint(1, 2)
            plan.pop("parallelism.replicas", None)
            return
        plan["parallelism.schedule"] = schedule = pick(["gpipe", "1f1b", "interleaved", "zb_h1", "zb_h2", "zbv", "auto"])
        plan["parallelism.stages"] = stages
        if schedule in ("interleaved", "zbv") or stages == 1:
            return
        if self.flip(0.25):
            ranks = self.draw.randint(1, stages)
            place = [*range(ranks)] + [self.draw.randrange(ranks) for _ in range(stages - ranks)]
            self.draw.shuffle(place)
            plan["parallelism.place"] = place
        elif self.flip(0.15):
            plan["parallelism.chunks"] = pick([n for n in range(1, stages + 1) if stages % n == 0])
        elif self.flip(0.15) and self.program.calls >= stages and "parallelism.grain" not in plan:
            cuts = sorted(self.draw.sample(range(1, self.program.calls), stages - 1))
            plan["parallelism.balance"] = [b - a for a, b in zip([0, *cuts], [*cuts, self.program.calls])]

    def chooseCheckpoints(self):
        pick, plan = self.draw.choice, self.plan
        policy = pick(["none", "none", "uniform", "uniform", "selective", "dynamic"])
        if policy == "none":
            return
        plan["checkpoint.policy"] = policy
        if policy == "uniform":
            plan["checkpoint.interval"] = self.draw.randint(1, 3)
        if policy == "selective":
            plan["checkpoint.layers"] = sorted(self.draw.sample(range(self.program.calls), self.draw.randint(1, min(3, self.program.calls))))
        if policy == "dynamic":
            plan["checkpoint.memory_fraction"] = pick([0, 0.3, 0.6, 1])
        else:
            plan["checkpoint.grain"] = pick(["layer", "equation"])
        plan["checkpoint.micro_batches"] = pick(["always", "always", "except_last", "except_last", "never"])
        plan["checkpoint.loops"] = pick(["policy", "keep", "recompute"])

    def sets(self, *more):
        """Words of a command: what decides bits, and what is in `more`."""
        keys = self.numbers.copy()
        for other in more:
            keys |= other
        return [word for key, value in keys.items() for word in ("--set", f"{key}={str(value).replace(' ', '')}")]

    def takes(self, code, text):
        """Whether a refusal is true; then the next try leaves out what was refused."""
        for name, (expected, key, words, parts) in REFUSALS.items():
            if code != expected or f"--set {key}=" not in text or not re.search(f"error: .*({words})", text):
                continue
            if name == "budget" and self.budget >= 1:
                return False
            self.refused.append(name)
            self.leaveOut(parts[0])
            return True
        return False

    def leaveOut(self, part):
        if part == "stages":
            for key in ("place", "chunks", "balance"):
                self.plan.pop(f"parallelism.{key}", None)
            self.plan["parallelism.stages"] -= 1
        elif part == "ranks":
            self.plan["parallelism.shard_ranks"] = 1
        elif part == "shard":
            del self.numbers["parallelism.shard"]
            self.plan.pop("parallelism.shard_ranks", None)
        elif part == "layers":
            self.plan = {key: value for key, value in self.plan.items() if not key.startswith("checkpoint.")}
        elif part == "balance":
            del self.plan["parallelism.balance"]
        elif part == "group":
            del self.numbers["optimizer.group"]
        elif part == "budget":
            self.budget = None
            if self.plan.get("checkpoint.policy") == "budget":
                del self.plan["checkpoint.policy"]
