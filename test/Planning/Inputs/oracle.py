"""What a planned program does: an executor that shares nothing with the compiler.

Values are terms: a kernel and the terms that it read. Memory maps bytes to terms, so a run that reads the wrong bytes, or
at the wrong time, makes another term. A plan is right if under every timing its outputs and new parameters are the terms
that the program's dataflow gives. Ragged programs are not read.
"""
import collections
import itertools
import random
import re

from plan_text import Plan, Wrong, words


def expected(plan):
    """The terms of outputs, by name and micro-batch, and of new parameters, by name: by dataflow."""
    memo, fills = {}, collections.defaultdict(list)
    for call in itertools.chain.from_iterable(plan.tasks.values()):
        for number, cell in enumerate(call.results):
            if cell[0] == "site":
                fills[cell].append((call, number))

    def value(cell, mb):
        if cell[0] == "pop":
            return value(plan.stash[cell[1]], mb)
        if cell[0] == "input":
            return ("input", cell[1], mb if cell[1] in plan.batched else 0)
        if cell[0] == "param":
            return cell
        if (cell, mb) not in memo:
            call = plan.tasks[cell[1:3]][cell[3]]
            memo[cell, mb] = hash((call.kernel, cell[4], tuple(value(each, mb) for each in call.inputs)))
        return memo[cell, mb]

    def total(site, group):
        term = "vacant"
        for mb in range(plan.micro_batches):
            for call, number in fills[site] if plan.group_of(mb) == group else ():
                term = hash((call.kernel, number, tuple(value(each, mb) for each in call.inputs), term))
        return term

    outputs = {(name, mb): value(cell, mb) for name, cell, rank in plan.outputs for mb in plan.runs_of(rank)}
    sites = collections.defaultdict(list)  # by parameter: group by group, in each the sites in order
    for cell in fills:
        sites[cell[1]] += [(group, cell[2], cell) for group in range(cell[3], cell[3] + cell[4])]
    new = {name: ("step", ("param", name), tuple(total(cell, group) for group, _, cell in sorted(each)))
           for name, each in sites.items()}
    return outputs, new


class Memory:
    def __init__(self, end):
        self.end, self.held, self.fresh = end, {}, itertools.count()

    def write(self, at, size, term):
        if at < 0 or at + size > self.end:
            raise Wrong(f"byte {at + size} of an arena of {self.end}")
        for begin in [begin for begin, (end, _) in self.held.items() if begin < at + size and at < end]:
            del self.held[begin]
        self.held[at] = (at + size, term)

    def spoil(self, at, size):
        self.write(at, size, ("garbage", next(self.fresh)))

    def read(self, at, size):
        end, term = self.held.get(at, (None, None))
        return term if end == at + size else ("garbage", next(self.fresh))

    def copy(self, at, source, begin, size):
        """All terms that lie there whole: a message of several groups holds as many."""
        self.spoil(at, size)
        for first, (end, term) in list(source.held.items()):
            if begin <= first and end <= begin + size:
                self.write(at + first - begin, end - first, term)


class Machine:
    """One execution. `order` chooses what happens next among what can: ("rank", r) or ("copy", message). With `meet`
    ranks wait for each other at the step, as they do for the norm of all gradients. If one went `before` with the same
    parameters, what it has prepared is there, and is not prepared again."""

    def __init__(self, plan, order, meet, before=None):
        self.plan, self.order, self.meet, self.before = plan, order, meet, before
        self.next = dict.fromkeys(plan.actions, 0)
        self.stepped = set()
        self.memory = {rank: Memory(plan.arena[rank]) for rank in plan.actions}
        self.posted, self.sent, self.done, self.open = {}, {}, set(), collections.Counter()
        for rank, buffers in plan.buffers.items():
            for each in buffers:
                parts = plan.runs_of(rank) if each.kind == "input" and each.name in plan.batched else [0]
                part = each.bytes // len(parts)
                for number, mb in enumerate(parts):
                    term = (("param", each.name) if each.kind == "parameter" else ("input", each.name, mb)
                            if each.kind == "input" else before.memory[rank].read(each.at, each.bytes)
                            if each.kind == "precomputed" and before else each[:3])
                    self.memory[rank].write(each.at + number * part, part, term)

    def run(self):
        while True:
            ready = [("rank", rank) for rank in self.next if self.can_go(rank)]
            ready += [("copy", key) for key in self.posted if key in self.sent and key not in self.done]
            if not ready:
                break
            kind, what = self.order(ready)
            self.copy(what) if kind == "copy" else self.act(what)
        if any(self.action(rank) for rank in self.next):
            raise Wrong("ranks wait for ever")
        if not len(self.done) == len(self.posted) == len(self.sent):
            raise Wrong("messages are left")

    def action(self, rank):
        actions = self.plan.actions[rank]
        return actions[self.next[rank]] if self.next[rank] < len(actions) else None

    def can_go(self, rank):
        word, line = self.action(rank) or (None, None)
        if word in ("wait_recv", "wait_send"):
            return self.message(line)[0] in self.done
        if word == "step" and self.meet:
            return all(other in self.stepped or (self.action(other) or "?")[0] == "step" for other in self.next)
        return word is not None

    def message(self, line):
        channel, mb = words(r"@([\w.]+) mb (-?\d+)", line)
        route, slots, tag = self.plan.channels[channel]
        source, to, size = self.plan.routes[route]
        return (source, to, tag + 2 * max(mb, 0)), channel, size, slots

    def copy(self, key):
        (source, at), (to, place, size) = self.sent[key], self.posted[key]
        self.memory[to].copy(place, self.memory[source], at, size)
        self.done.add(key)

    def act(self, rank):
        word, line = self.action(rank)
        self.next[rank] += 1
        if word == "run":
            self.run_task(rank, line)
        elif word == "step":
            self.step(rank)
        elif word == "drop":
            self.memory[rank].spoil(*words(r"at (\d+) bytes (\d+)", line))
        else:
            self.send_or_receive(rank, word, line)

    def send_or_receive(self, rank, word, line):
        key, channel, size, slots = self.message(line)
        if key["recv" in word] != rank or (word == "send" and key in self.sent) or (
                word == "post_recv" and key in self.posted):
            raise Wrong(f"{line}: another rank's, or a tag in use")
        self.open[channel] += (word == "post_recv") - (word == "wait_recv")
        if self.open[channel] > slots:
            raise Wrong(f"{channel} has more receives than slots")
        if word == "post_recv":
            at, = words(r" at (\d+)", line)
            self.memory[rank].spoil(at, size)
            self.posted[key] = (rank, at, size)
        elif word == "send":
            self.sent[key] = (rank, words(r" at (\d+)", line)[0])

    def run_task(self, rank, line):
        stage, role, mb = words(r"@([\w.]+)\s+(\w) mb (-?\d+)", line)
        if role == "P" and self.before:
            return
        plan, memory = self.plan, self.memory[rank]
        bases, slots = [int(each) for each in re.findall(r"\d+", line[line.find("["):])], plan.slots[stage, role]
        frame = plan.frames[rank].get((stage, role, " keep" in line), [(slot, 0) for slot in range(len(slots))])
        places = {cell: bases[base] + offset for cell, (base, offset) in zip(slots, frame)}

        def where(cell):
            if plan.resolve(cell) in plan.prepared:
                return plan.place(rank, "precomputed", plan.prepared[plan.resolve(cell)])
            if cell[0] == "site":
                return plan.place(rank, "gradient", *cell[1:3], plan.group_of(mb))
            return plan.place(rank, "parameter", cell[1]) if cell[0] == "param" else places[plan.resolve(cell)]

        for call in plan.tasks[stage, role]:
            if call.clone and " keep" in line:
                continue
            read = tuple(memory.read(where(cell), plan.sizes[cell]) for cell in call.inputs)
            for number, cell in enumerate(call.results):
                term = (call.kernel, number, read)
                if cell[0] == "site":
                    begins = mb % (plan.micro_batches // plan.groups) == 0  # the group
                    term += ("vacant" if begins else memory.read(where(cell), plan.sizes[cell]),)
                memory.write(where(cell), plan.sizes[cell], hash(term))

    def step(self, rank):
        self.stepped.add(rank)
        memory, buffers = self.memory[rank], self.plan.buffers[rank]
        for each in buffers:
            sites = sorted((s.group + group, s.site, s.at + group * (s.bytes // s.groups)) for s in buffers
                           if (s.kind, s.name) == ("gradient", each.name) for group in range(s.groups))
            if each.kind == "parameter" and each.owned and sites:
                terms = tuple(memory.read(at, each.bytes) for _, _, at in sites)
                memory.write(each.at, each.bytes, ("step", memory.read(each.at, each.bytes), terms))

    def check(self, outputs, parameters):
        for name, cell, rank in self.plan.outputs:
            size, at = self.plan.sizes[cell], self.plan.place(rank, "output", name)
            for number, mb in enumerate(self.plan.runs_of(rank)):
                if self.memory[rank].read(at + number * size, size) != outputs[name, mb]:
                    raise Wrong(f"output {name}, micro-batch {mb}, is another value")
        if set(outputs) != {(name, mb) for name, _, rank in self.plan.outputs for mb in self.plan.runs_of(rank)}:
            raise Wrong("an output is missing")
        for rank, buffers in self.plan.buffers.items():
            for each in buffers:
                found = self.memory[rank].read(each.at, each.bytes)
                if each.kind == "parameter" and found != parameters.get(each.name, ("param", each.name)):
                    raise Wrong(f"parameter {each.name} on rank {rank} is another value")
                if each.kind.startswith("moment") and found != each[:3]:
                    raise Wrong(f"{each.kind} of {each.name} is overwritten")


def orders(seed):
    """What happens next: early and late messages, ranks forwards, backwards and by chance, some messages held back."""
    chance = random.Random(seed)
    only = lambda kind, ready: [each for each in ready if each[0] == kind] or ready
    yield lambda ready: only("copy", ready)[0]
    yield lambda ready: only("rank", ready)[0]
    yield lambda ready: only("rank", ready)[-1]
    for held in [None, None, None, 0, 1, 2]:
        late = lambda each, held=held: each[0] == "copy" and each[1][2] // 8 % 3 == held
        yield lambda ready, late=late: chance.choice([each for each in ready if not late(each)] or ready)


def check(plan, reference, seed=0):
    """Raises Wrong unless the plan gives the reference's terms under every order, with the step as a meeting and not."""
    for meet in (False, True):
        for order in orders(seed):
            machine = Machine(plan, order, meet)
            machine.run()
            machine.check(*reference)
            if plan.prepared:
                again = Machine(plan, order, meet, before=machine)
                again.run()
                again.check(*reference)
