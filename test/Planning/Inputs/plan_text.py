"""The text of a planned program, read without the compiler: values, tasks, routes, places and actions."""
import collections
import itertools
import re

WIDTH = {"f32": 4, "f64": 8, "i32": 4, "i64": 8, "i1": 1}
VALUE = r"%[\w.]+(?:#\d+)?"
Call = collections.namedtuple("Call", "kernel inputs results clone")
Buffer = collections.namedtuple("Buffer", "kind name site group groups at bytes owned")


class Wrong(Exception):
    """A plan that does something else, or never ends."""


def size_of(text):
    """Bytes of the last `tensor<4x8xf32>`."""
    *extents, element = re.findall(r"tensor<([^>]*)>", text)[-1].split("x")
    size = WIDTH[element]
    for extent in extents:
        size *= int(extent)
    return size


def words(pattern, line):
    """What a pattern's groups match, numbers as such."""
    return [int(each) if re.fullmatch(r"-?\d+", each or "") else each for each in re.search(pattern, line).groups()]


class Plan:
    """The text of one program. A cell is where a value comes from: ("call", stage, role, call, result), ("param", name),
    ("site", name, index, first group, groups), ("input", name), ("pop", route)."""

    def __init__(self, text):
        self.sums = {}  # number of accumulators of each kernel
        self.prepared = {}  # names of the places of what P makes, by cell
        self.sizes, self.tasks, self.slots, self.rank_of = {}, {}, {}, {}
        self.outputs, self.stash, self.routes, self.channels = [], {}, {}, {}
        self.buffers, self.frames, self.actions, self.arena = {}, {}, {}, {}
        self.scopes, self.stage, self.task, self.rank = [{}], None, None, None
        for line in map(str.strip, text.splitlines()):
            word = re.search(r"plan\.(\w+)", line)
            if word and self.rank is not None and word.group(1) not in ("rank", "layout", "buffer", "frame"):
                self.actions[self.rank].append((word.group(1), line))
            elif word:
                getattr(self, "read_" + word.group(1), lambda line: None)(line)
        for task, calls in self.tasks.items():
            cells = map(self.resolve, itertools.chain.from_iterable(call.inputs + call.results for call in calls))
            self.slots[task] = list(dict.fromkeys(cell for cell in cells if cell[0] not in ("param", "site")
                                                  and cell not in self.prepared))

    def read_kernel(self, line):
        name, sums = words(r"kernel @([\w.]+).*num_accumulators = (\d+)", line)
        self.sums[name] = sums

    def read_program(self, line):
        axes, names = words(r"arg_batch = array<i64(?:: )?([^>]*)>, arg_names = \[([^\]]*)\]", line)
        names = re.findall(r'"([^"]*)"', names)
        self.batched = {name for name, axis in zip(names, str(axes).split(",")) if int(axis) >= 0}
        self.micro_batches, = words(r"micro_batches = (\d+)", line)
        self.groups, self.replicas = (int((re.search(rf"[{{ ]{word} = (\d+)", line) or [0, 1])[1])
                                     for word in ("accumulation_groups", "replicas"))

    def read_stage(self, line):
        self.stage, rank = words(r"@([\w.]+) rank (\d+)", line)
        self.rank_of[self.stage], self.scopes = rank, [{}]

    def read_task(self, line):
        self.task = (self.stage, words(r"task\s+(\w)", line)[0])
        self.tasks[self.task], self.task_line = [], line
        self.scopes.append({})

    def read_yield(self, line):
        if len(self.scopes) == 2:
            cells = [self.find(name) for name in re.findall(VALUE, line.split(" : ")[0])]
            self.scopes.pop()
            if self.task[1] == "P":
                self.prepared.update((cell, f"{self.stage}.{number}") for number, cell in enumerate(cells))
            self.bind(self.task_line, cells)

    def read_call(self, line):
        kernel, operands = words(r"call @([\w.]+)\(([^)]*)\)", line)
        operands = [self.find(name) for name in re.findall(VALUE, operands)]
        types = re.findall(r"tensor<[^>]*>", line[line.rindex("->"):])
        results = [("call", *self.task, len(self.tasks[self.task]), i) for i in range(len(types))]
        inputs = operands[:len(operands) - self.sums[kernel]]
        results[len(results) - self.sums[kernel]:] = operands[len(inputs):]
        self.sizes.update(zip(results, map(size_of, types)))
        self.tasks[self.task].append(Call(kernel, inputs, results, " recompute <" in line))
        self.bind(line, results)

    def read_param(self, line):
        self.handle(line, ("param", words(r"@([\w.]+)", line)[0]))

    def read_site(self, line):
        name, index, group, groups = words(r"@([\w.]+) (\d+)(?: group (\d+))?(?: groups (\d+))? :", line)
        self.handle(line, ("site", name, index, group or 0, groups or 1))

    def read_input(self, line):
        self.handle(line, ("input", words(r'"([\w.]+)"', line)[0]))

    def read_pop(self, line):
        into = re.search(rf"into ({VALUE})", line)
        self.handle(line, self.find(into.group(1)) if into else ("pop", words(r"@([\w.]+)", line)[0]))

    def handle(self, line, cell):
        self.sizes[cell] = size_of(line)
        self.bind(line, [cell])

    def read_stash(self, line):
        route, value = words(rf"@([\w.]+), ({VALUE})", line)
        self.stash[route] = self.find(value)

    def read_output(self, line):
        name, value = words(rf'"([^"]*)", ({VALUE})', line)
        self.outputs.append((name, self.find(value), self.rank_of[self.stage]))

    def read_route(self, line):
        name, source, to = words(r"@([\w.]+) from @([\w.]+) to @([\w.]+)", line)
        groups = re.search(r" groups (\d+) :", line)
        self.routes[name] = (self.rank_of[source], self.rank_of[to], size_of(line) * (int(groups[1]) if groups else 1))

    def read_channel(self, line):
        name, *rest = words(r"@([\w.]+) carries @([\w.]+) .*slots (\d+) tag (\d+)", line)
        self.channels[name] = rest

    def read_rank(self, line):
        self.rank, = words(r"rank (\d+)", line)
        self.buffers[self.rank], self.frames[self.rank], self.actions[self.rank] = [], {}, []

    def read_layout(self, line):
        self.arena[self.rank], = words(r"arena (\d+)", line)

    def read_buffer(self, line):
        kind, name, site, group, groups, *rest = words(
            r'buffer\s+(\w+) "([^"]*)"(?: site (\d+))?(?: group (\d+))?(?: groups (\d+))? at (\d+) bytes (\d+)( owned)?', line)
        self.buffers[self.rank].append(Buffer(kind, name, site, group or 0, groups or 1, *rest))

    def read_frame(self, line):
        stage, role, keep = re.search(r"@([\w.]+)\s+(\w)( keep)?", line).groups()
        pairs = [int(each) for each in re.findall(r"-?\d+", line[line.find("["):])]
        self.frames[self.rank][stage, role, bool(keep)] = list(zip(pairs[::2], pairs[1::2]))

    def find(self, name):
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        raise Wrong(f"{name} is not there")

    def bind(self, line, cells):
        found = re.match(r"(%[\w.]+)(?::\d+)? = ", line)
        for index, cell in enumerate(cells if found else []):
            self.scopes[-1][f"{found.group(1)}#{index}"] = cell
            self.scopes[-1].setdefault(found.group(1), cell)

    def resolve(self, cell):
        """The cell whose memory a cell is on its rank."""
        while cell[0] == "pop" and self.routes[cell[1]][0] == self.routes[cell[1]][1]:
            cell = self.stash[cell[1]]
        return cell

    def place(self, rank, kind, name, site=None, group=0):
        each = next(each for each in self.buffers[rank] if (each.kind, each.name, each.site) == (kind, name, site)
                    and 0 <= group - each.group < each.groups)
        return each.at + (group - each.group) * (each.bytes // each.groups)

    def group_of(self, mb):
        return max(mb, 0) // (self.micro_batches // self.groups)

    def runs_of(self, rank):
        """The micro-batches of a rank's replica."""
        count, replica = self.micro_batches // self.replicas, rank // (len(self.actions) // self.replicas)
        return range(replica * count, (replica + 1) * count)
