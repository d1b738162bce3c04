"""run_cases.py CASES.txt [--random N]: `plc-run einsum` on each string, against its definition, computed here by a loop over all
values of all labels; every sixth also by `plc-interpret`. Where numpy is installed, it must agree too.

A line of CASES is SUBSCRIPTS [| SHAPE ..]; without shapes a letter has the extent that opt_einsum's views give it.
A line of five parts is refused: SUBSCRIPTS | SHAPE .. | CODE | ERROR | COLUMN. Values are small integers, so that every
type holds every sum, and results must be equal."""
import itertools, math, random, struct, subprocess, sys

try:
    import numpy
except ImportError:  # the definition below is enough
    numpy = None
VIEWS = dict(zip("abcdefghijklmno", (2, 3, 4, 5, 4, 3, 2, 6, 5, 4, 3, 2, 5, 7, 4)))
TYPES = {"<f8": "d", "<f4": "f", "<i8": "q", "<i4": "i"}


def write(name, shape, values, descr):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{TYPES[descr]}", *values))


def read(name):
    data = open(name, "rb").read()
    length = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10 : 10 + length])
    return header["shape"], list(struct.unpack(f"<{math.prod(header['shape'])}{TYPES[header['descr']]}", data[10 + length :])), header["descr"]


def einsum(subscripts, operands):
    """(shape, values): for each value of every label, one product is added to one element, unless a factor is 0."""
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    widest = max(len(shape) - len(term.replace("...", "")) for term, (shape, _) in zip(terms, operands) if "..." in term) if "..." in inputs else 0

    def labels(term, count):
        before, _, behind = term.partition("...")
        return [*before] + [f"#{count - i}" for i in range(count)] * ("..." in term) + [*behind]

    axes = [labels(term, len(shape) - len(term.replace("...", ""))) for term, (shape, _) in zip(terms, operands)]
    if arrow:
        kept = labels(output, widest)
    else:
        letters = sorted(c for c in inputs if c.isalpha() and inputs.count(c) == 1)
        kept = [f"#{widest - i}" for i in range(widest)] + letters
    extent = {}
    for names, (shape, _) in zip(axes, operands):
        for name, n in zip(names, shape):
            extent[name] = n if extent.get(name, 1) == 1 else extent[name]
    names = kept + sorted(set(extent) - set(kept))
    shape = tuple(extent[name] for name in kept)
    # How far each value of a label goes on in the operands that have it and in the result, and which operands it is the last label of.
    steps, last, stride, ahead = [[] for _ in names], [[] for _ in names], 1, [0] * len(names)
    for depth in reversed(range(len(kept))):
        ahead[depth] = stride
        stride *= shape[depth]
    values, product = [0] * stride, 1
    for operand, (own, (lengths, data)) in enumerate(zip(axes, operands)):
        stride, of = 1, dict.fromkeys(names, 0)
        for name, n in reversed([*zip(own, lengths)]):
            of[name] += stride if n != 1 else 0
            stride *= n
        depths = [depth for depth, name in enumerate(names) if of[name]]
        for depth in depths:
            steps[depth].append((operand, of[names[depth]]))
        if depths:
            last[depths[-1]].append((operand, data))
        else:
            product *= data[0] if data else 0
    at = [0] * len(operands)

    def add(depth, product, position):
        if depth == len(names):
            values[position] += product
            return
        count = extent[names[depth]]
        for _ in range(count):
            factor = product
            for operand, data in last[depth]:
                factor *= data[at[operand]]
            if factor:
                add(depth + 1, factor, position)
            for operand, step in steps[depth]:
                at[operand] += step
            position += ahead[depth]
        for operand, step in steps[depth]:
            at[operand] -= count * step

    add(0, product, 0)
    return shape, values


def parse(line):
    parts = [part.strip() for part in line.split("|")]
    if len(parts) == 1:
        return parts[0], [tuple(VIEWS[c] for c in term) for term in parts[0].partition("->")[0].split(",")], None
    return parts[0], [() if s == "-" else tuple(map(int, s.split("x"))) for s in parts[1].split()], parts[2:]


def randomCase(draw):
    """Up to 5 operands of up to 4 axes each, some of extent 1, some repeated, some behind '...'."""
    extent = {c: draw.choice((1, 2, 2, 3, 3, 4)) for c in "abCdEf"}
    dots = [draw.choice((1, 2, 3)) for _ in range(2)]
    terms, shapes = [], []
    for _ in range(draw.randint(1, 5)):
        letters = [draw.choice("abCdEf") for _ in range(draw.randint(0, 3))]
        at, count = draw.randint(0, len(letters)), draw.randint(0, 2)
        isDotted = draw.random() < 0.3
        extents = {c: extent[c] if draw.random() < 0.85 else 1 for c in letters}  # a diagonal's are equal
        own = [extents[c] for c in letters]
        behind = [n if draw.random() < 0.8 else 1 for n in dots[2 - count :]] if isDotted else []
        terms.append("".join(letters[:at]) + ("..." if isDotted else "") + "".join(letters[at:]))
        shapes.append(tuple(own[:at] + behind + own[at:]))
    text = ",".join(terms)
    if draw.random() < 0.7:
        output = [c for c in sorted(set(filter(str.isalpha, text))) if draw.random() < 0.5]
        draw.shuffle(output)
        if "..." in text:
            output.insert(draw.randint(0, len(output)), "...")
        text += "->" + "".join(output)
    return text, shapes, None


def run(tool, subscripts, count, out):
    command = [tool, "einsum", subscripts, *(f"x{i}.npy" for i in range(count)), "-o", out]
    return subprocess.run(command, capture_output=True, text=True)


def check(number, subscripts, shapes, refused):
    """What is wrong, or None."""
    draw = random.Random(f"{subscripts} {shapes}")
    descr = [*TYPES][number % len(TYPES)] if not refused else "<f8"
    operands = [(shape, [draw.randint(-2, 2) for _ in range(math.prod(shape))]) for shape in shapes]
    if descr == "<f4" and math.prod(len(values) for _, values in operands) > 1 << 18:
        descr = "<f8"
    for i, (shape, values) in enumerate(operands):
        write(f"x{i}.npy", shape, values, descr)
    done = run("plc-run", subscripts, len(operands), "y.npy")
    if refused:
        code, error, column = refused
        expected = f"plc-run: error: {error}\n" + (f"  {subscripts}\n  {' ' * int(column)}^\n" if subscripts else "")
        if (done.returncode, done.stderr) != (int(code), expected):
            return f"exits with {done.returncode} and says\n{done.stderr}but expected is {code} and\n{expected}"
    if done.returncode:
        return None if refused else done.stderr
    shape, expected = einsum(subscripts, operands)
    found = read("y.npy")
    if found != (shape, expected, descr):
        return f"gives {found}, expected {(shape, expected, descr)}"
    if numpy is not None:
        arrays = [numpy.array(values, numpy.dtype(descr)).reshape(shape) for shape, values in operands]
        theirs = numpy.asarray(numpy.einsum(subscripts, *arrays))
        if (theirs.shape, theirs.ravel().tolist(), theirs.dtype.str) != found:
            return f"gives {found}, but numpy {theirs}"
    if number % 6 == 0:
        done = run("plc-interpret", subscripts, len(operands), "z.npy")
        if done.returncode or read("z.npy") != found:
            return f"plc-interpret differs: {done.stderr}"
    return None


if sys.argv[1] == "--random":
    draw = random.Random("einsum")
    cases = [randomCase(draw) for _ in range(int(sys.argv[2]))]
else:
    cases = [parse(line) for line in open(sys.argv[1]).read().split("\n") if line and not line.startswith("#")]
failed = 0
for number, case in enumerate(cases):
    problem = check(number, *case)
    if problem:
        failed += 1
        print(f"'{case[0]}' {case[1]}: {problem}")
print(f"{len(cases) - failed} of {len(cases)} strings are as they should be")
sys.exit(1 if failed else 0)
