"""check_std.py LIBRARY FILE FOLDER: compares each function of a library of the standard library, FILE, with a plain
computation (std_references.py): results in f64, and gradients with differences of the plain computation. Compiled code gives
the same bits. A function without a reference is an error."""
import itertools
import math
import pathlib
import random
import re
import struct
import subprocess
import sys

from std_references import LIBRARIES

STEP = 1e-5


def positions(shape):
    return list(itertools.product(*(range(extent) for extent in shape)))


def write(path, kind, shape, values):
    code, descr = {"f64": ("d", "<f8"), "i32": ("i", "<i4"), "bool": ("B", "|b1")}[kind]
    text = "".join(f"{extent}, " for extent in shape)
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({text}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values))


def read(path):
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    body, header = data[10 + length:], data[10:10 + length].decode()
    code = "d" if "f8" in header else "?"
    return list(struct.unpack(f"<{len(body) // struct.calcsize(code)}{code}", body))


class Case:
    def __init__(self, library, call, entry, folder):
        self.library, self.call, self.folder = library, call, folder.resolve()
        self.inputs, self.shapes, self.references = entry
        draws = random.Random(call)
        draw = {"real": lambda: draws.choice([-1, 1]) * draws.uniform(0.1, 1.5), "unit": lambda: draws.uniform(0.05, 0.95),
                "bool": lambda: draws.random() < 0.6, "zero-one": lambda: float(draws.random() < 0.6)}
        self.kinds = {name: {"i32": "i32", "bool": "bool"}.get(given[0], "f64") for name, given in self.inputs.items()}
        self.values = {}
        for name, (kind, shape, *limit) in self.inputs.items():
            one = draw.get(kind) or (lambda limit=limit: draws.randrange(limit[0]))
            self.values[name] = {at: one() for at in positions(shape)}
        self.trains = all(self.isReal(self.expected(k)[0]) for k in range(len(self.shapes)))
        self.weights = [[draws.uniform(-1, 1) for _ in positions(shape)] for shape in self.shapes]
        self.draws = draws

    def isReal(self, value):
        return not isinstance(value, bool)

    def tensors(self):
        return [lambda *at, v=values: v[at] for values in self.values.values()]

    def expected(self, result):
        element = self.references[result](*self.tensors())
        return [element(*at) for at in positions(self.shapes[result])]

    def loss(self):
        return sum(w * y for k, weights in enumerate(self.weights) for w, y in zip(weights, self.expected(k)))

    def text(self):
        def declared(name, kind, shape):
            return name + (f": {kind}" if kind != "f64" else "") + (f"[{', '.join(map(str, shape))}]" if shape else "")
        results = [f"result{k}" for k in range(len(self.shapes))]
        arguments = [declared(name, self.kinds[name], given[1]) for name, given in self.inputs.items()]
        outputs = [declared(name, "f64" if self.trains else "bool", shape) for name, shape in zip(results, self.shapes)]
        lines = [f"  {', '.join(results)} = {self.call}"]
        if self.trains:
            terms = []
            for k, shape in enumerate(self.shapes):
                arguments.append(declared(f"weight{k}", "f64", shape))
                letters = ", ".join(f"i{n}" for n in range(len(shape)))
                at = f"[{letters}]" if shape else ""
                product = f"(result{k}{at} * weight{k}{at})"
                terms.append(f"sum[{letters}]{product}" if shape else product)
            lines += [f"  total = {' + '.join(terms)}", "  loss = trained(total)"]  # a module that trains has a parameter
            outputs.append("loss")
        return "\n".join([f"use {self.library}", "layer trained(x) -> y {", "  param one = 1", "  y = one * x", "}", f"model m({', '.join(arguments)}) -> {', '.join(outputs)} {{", *lines, "}", ""])

    def run(self):
        """The results, and the gradient of each real input."""
        self.folder.mkdir(parents=True, exist_ok=True)
        model = self.folder / "model.ein"
        model.write_text(self.text())
        command = ["infer", str(model), "--set", "precision.compute=f64"]
        for name, values in self.values.items():
            write(self.folder / f"{name}.npy", self.kinds[name], self.inputs[name][1], list(values.values()))
            command += ["--input", f"{name}=@{self.folder}/{name}.npy"]
        for k, shape in enumerate(self.shapes):
            if self.trains:
                write(self.folder / f"weight{k}.npy", "f64", shape, self.weights[k])
                command += ["--input", f"weight{k}=@{self.folder}/weight{k}.npy"]
            command += ["--output", f"result{k}=@result{k}.npy"]
        trained = [name for name in self.inputs if self.kinds[name] == "f64" and self.trains]
        for name in trained:
            command += ["--output", f"grad({name})=@gradient-{name}.npy"]
        for tool in ("plc-interpret", "plc-run"):
            (self.folder / tool).mkdir(exist_ok=True)
            done = subprocess.run([tool, *command], cwd=self.folder / tool, capture_output=True, text=True)
            if done.returncode:
                return None, done.stderr
        interpreted, compiled = (self.folder / tool for tool in ("plc-interpret", "plc-run"))
        for path in interpreted.iterdir():
            if path.read_bytes() != (compiled / path.name).read_bytes():
                return None, f"{path.name} has other bits when it is compiled"
        results = [read(interpreted / f"result{k}.npy") for k in range(len(self.shapes))]
        return results, {name: read(interpreted / f"gradient-{name}.npy") for name in trained}

    def problems(self):
        results, gradients = self.run()
        if results is None:
            return [gradients]
        found = []
        for k, result in enumerate(results):
            for at, value, expected in zip(positions(self.shapes[k]), result, self.expected(k)):
                if not abs(value - expected) <= 1e-12 * max(1, abs(expected)):
                    found.append(f"result{k}{list(at)} is {value}, expected {expected}")
        for name, gradient in gradients.items():
            places = list(enumerate(self.values[name]))
            for number, at in self.draws.sample(places, min(len(places), 10)):
                kept = self.values[name][at]
                sides = []
                for side in (STEP, -STEP):
                    self.values[name][at] = kept + side
                    sides.append(self.loss())
                self.values[name][at] = kept
                expected = (sides[0] - sides[1]) / (2 * STEP)
                if not math.isclose(gradient[number], expected, rel_tol=1e-6, abs_tol=1e-7):
                    found.append(f"grad({name}){list(at)} is {gradient[number]}, expected {expected}")
        return found


library, file, folder = sys.argv[1:]
entries = LIBRARIES[library]
functions = re.findall(r"^fn (\w+)", pathlib.Path(file).read_text(), re.M)
missing = set(functions) - {call.split("(")[0] for call in entries}
failed = [f"'{name}' has no reference" for name in sorted(missing)]
for number, (call, entry) in enumerate(entries.items()):
    failed += [f"{call}: {problem}" for problem in Case(library, call, entry, pathlib.Path(folder) / str(number)).problems()[:3]]
print("\n".join(failed) if failed else f"{len(entries)} calls of {len(functions)} functions agree")
sys.exit(1 if failed else 0)
