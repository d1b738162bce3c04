"""seeds.py FOLDER TARGET: writes what a fuzz run starts from: FOLDER/seeds-TARGET, each a file, and FOLDER/TARGET.dict, words.

The seeds of parser and frontend are the declarations of every program of the examples, the standard library, the tests and
the pages of docs/, their words those of the language. The seeds of strategy and map are such files of these places, those of
tensors small files of each type, those of checkpoint its files, those of manifest what modules made by hand say, whole and of one
entry each, those of flight changes of one, those of pt2
its members, those of hlo single operations, those of
import the same of archives, too."""
import hashlib
import io
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[3]


def programs():
    for folder in ("examples", "lib/Language/std", "test/Language", "test/Refusals"):
        for file in sorted((ROOT / folder).rglob("*.ein")):
            yield file.read_bytes()
    for page in sorted((ROOT / "docs").glob("*.md")):
        for text in re.findall(r"^```ein[^\n]*\n(.*?)^```", page.read_text(), re.S | re.M):
            yield text.encode()


def pieces(program):
    """The program, if it is small, and its declarations without comments: small inputs are mutated faster."""
    if len(program) <= 1024:
        yield program
    bare = re.sub(rb"[ \t]*#[^\n]*", b"", program)
    yield from re.split(rb"\n(?=use |dim |batch |layer |fn |model |// )", bare)


def words():
    """From the tables that the lexer and the front end have."""
    lexer = (ROOT / "lib/Language/Syntax/Lexer.cpp").read_text()
    yield from re.findall(r'"(\w+)"', re.search(r"allWords\[\] = \{(.*?)\};", lexer, re.S)[1])
    yield from re.findall(r'"([^"]+)"', re.search(r"for \(StringRef symbol : \{(.*?)\}\)", lexer, re.S)[1])
    yield from re.search(r'StringRef\("(.*?)"\)\.contains\(c\)', lexer)[1]
    functions = (ROOT / "include/plc/Dialect/Ein/Functions.def").read_text()
    yield from re.findall(r'^PLC_\w+\(\w+, "?(\w+)"?', functions, re.M)
    yield from re.findall(r'"(\w+)"', (ROOT / "lib/Language/Elaborate/Builtins.h").read_text())
    yield from re.findall(r', "(\w+)"', (ROOT / "include/plc/Support/ElementTypes.def").read_text())
    for library in sorted((ROOT / "lib/Language/std").glob("*.ein")):
        yield f"use std.{library.stem}"
        yield from re.findall(r"^fn (\w+)", library.read_text(), re.M)
    yield from ("normal", "uniform", "constant", "\n", "# ", "loss", "0.5", "1e-5", "9223372036854775807", "\xef\xbb\xbf")


def declarations():
    for program in programs():
        yield from pieces(program)


def blocks(folders, wanted):
    """TOML files, and TOML in docs/."""
    for folder in folders:
        for file in sorted((ROOT / folder).rglob("*.toml")):
            yield file.read_bytes()
    for page in sorted((ROOT / "docs").glob("*.md")):
        for text in re.findall(r"^```toml[^\n]*\n(.*?)^```", page.read_text(), re.S | re.M):
            if wanted(text):
                yield text.encode()


def strategies():
    yield from blocks(("examples", "test/Refusals/strategy", "test/Strategy"), lambda text: "[parameters]" not in text)


def maps():
    yield from blocks(("examples/maps", "test/Refusals/maps"), lambda text: "[parameters]" in text)


def keysOfTables():
    for table in ("lib/Strategy/Keys.cpp", "lib/Strategy/Presets.cpp", "lib/Runtime/Tensors/ReadParameterMap.cpp"):
        yield from re.findall(r'"([\w.-]+)"', (ROOT / table).read_text())
    for file in sorted((ROOT / "include/plc/Support").glob("*.def")):
        yield from re.findall(r'"([\w.-]+)"', file.read_text())
    yield from ("[", "]", "{", "}", "=", " = true", '"', "'", "\n", "0x", "1e400", "inf", "nan", "9223372036854775808", "128MiB")


def storedTypes():
    """Width, and names in .npy and .safetensors files."""
    widths = {"double": 8, "float": 4, "int64_t": 8, "int32_t": 4, "uint32_t": 4, "int8_t": 1, "uint8_t": 1}
    for table in ("include/plc/Support/ElementTypes.def", "lib/Runtime/Tensors/StoredTypes.def"):
        for row in re.findall(r"^PLC_\w+_TYPE\((.*)\)", (ROOT / table).read_text(), re.M):
            value = next(word for word in re.split(r",\s*", row) if re.fullmatch(r"u?int\d+_t|double|float|B?Float16", word))
            npy, safetensors = re.findall(r'"([^"]*)"', row)[-2:]
            yield widths.get(value, 2), npy, safetensors


def tensors():
    for width, npy, safetensors in storedTypes():
        data = bytes(i % 2 for i in range(6 * width))
        for order in ("False", "True"):
            header = f"{{'descr': '{npy}', 'fortran_order': {order}, 'shape': (2, 3), }}\n".encode()
            yield b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data
        header = f'{{"__metadata__":{{"step":"3"}},"x":{{"dtype":"{safetensors}","shape":[2,3],"data_offsets":[0,{len(data)}]}}}}'
        yield struct.pack("<Q", len(header)) + header.encode() + data
    yield b"\x93NUMPY\x02\x00" + struct.pack("<I", 56) + b"{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }\n"


def wordsOfTensors():
    for _, *names in storedTypes():
        yield from filter(None, names)
    yield from ("\x93NUMPY", "'descr': ", "'fortran_order': ", "'shape': (", "True", "dtype", "shape", "data_offsets", "__metadata__",
                "hash", "18446744073709551615", "1e400", "}", "{", "[", "]", "\\u0000")


def checkpoints():
    """The files of a checkpoint as CheckpointTarget.cpp has it, without hashes: whatever is changed is read."""
    metadata = {"step": "3", "seed": "7", "numerics_key": "0123", "optimizer": "adamw"}
    shapes = {"w": [2, 3], "c": [], "v": [2]}
    moments = {f"moment{which}.{name}": shapes[name] for which in (1, 2) for name in ("w", "v")}
    for kind, tensors, metadata in ((b"\0", moments, metadata), (b"\1", shapes, {})):
        for dtype, width in (("F32", 4), ("F64", 8), ("F16", 2), ("I64", 8)):
            header, end = {"__metadata__": metadata}, 0
            for name, shape in tensors.items():
                begin, end = end, end + width * math.prod(shape)
                header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
            text = json.dumps(header, separators=(",", ":")).encode()
            yield kind + struct.pack("<Q", len(text)) + text + bytes(end)


def wordsOfCheckpoints():
    yield from wordsOfTensors()
    yield from ("moment1.", "moment2.", "step", "seed", "numerics_key", "optimizer", "optimizer_states", "m, v", "adamw", "sgd", "hash until w", "header hash",
                "-9223372036854775808")


def manifests():
    for options in ([], ["--ranks", "2"], ["--ranks", "2", "--tied"]):
        made = subprocess.run([sys.executable, ROOT / "test/Runtime/Inputs/make_module.py", "none", "--include", ROOT / "include",
                               "--manifest", *options], capture_output=True, check=True)
        manifest = json.loads(made.stdout)
        yield compact(manifest)
        for name, entry in manifest["entries"].items():
            yield compact(manifest | {"entries": {name: entry}})


def compact(manifest):
    """The smaller an input is, the more of them are read in a time."""
    return json.dumps(manifest, separators=(",", ":")).encode()


def keysOfManifests():
    for table in ("lib/Module/ReadManifest.cpp", "lib/Module/ActionTable.cpp", "lib/Module/Words.h"):
        yield from re.findall(r'"([\w.-]+)"', (ROOT / table).read_text())
    yield from ("{", "}", "[", "]", "-1", "1e400", "9223372036854775808", "null", "true", "false")


def flights():
    """Changes of a flight recorder's file, as FlightTarget.cpp reads them: its fields, one at a time, and its end."""
    piece = lambda at, data: struct.pack(">HB", at, len(data)) + data
    starts = {"magic": 0, "pid": 8, "state": 16, "exit code": 20, "checkpoint written": 24, "error": 28, "checkpoint": 28 + 4096}
    for at in starts.values():
        for data in (b"\0", b"\1\0\0\0", b"\2\0\0\0", b"\xff" * 8, b"x" * 200):
            yield piece(at, data)
    yield b"".join(piece(28 + at, b"x" * 250) for at in range(0, 4250, 250))  # no text ends
    for rank in range(3):
        for entry, action, call in ((0, 1, 1), (1, 3, 0), (1, 9, 2), (4095, (1 << 32) - 1, (1 << 20) - 1)):
            place = struct.pack("<Q", entry << 52 | action << 20 | call)
            for align in range(5184, 5184 + 64 * 4, 64):
                yield piece(align + 64 * rank, place)
    yield b"\0\0\0"
    yield b"\xff\xff\0"
    yield piece(16, b"\2") + b"\x10\0\0"


def wordsOfFlights():
    yield from ("PFLIGHT1", "\0\x10\x04", "\0\x18\x04", "\x14\x40\x08", "\x14\x80\x08", "\0\x1c\xff", "\x10\x1c\xff", "\xff\xff\0")


def pt2s():
    """The graph, the table of tensors and the whole of the archive that Pt2Target.cpp has, with arguments of each kind."""
    tensor = {"dtype": 7, "sizes": [{"as_int": 2}], "strides": [{"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7}
    named = lambda name: {"as_tensor": {"name": name}}
    tree = {"type": "builtins.dict", "context": '["y"]', "children_spec": [{"type": None, "context": None, "children_spec": []}]}

    def program(argument):
        node = {"target": "torch.ops.aten.mul.Tensor", "inputs": [{"name": "self", "arg": named("x")}, {"name": "other", "arg": argument}],
                "outputs": [named("y")], "metadata": {"nn_module_stack": "L,,M;L_h,h,M", "stack_trace": 'File "m.py", line 3, in f\n    x'}}
        values = {"tensor_values": {name: tensor for name in "xwy"},
                  "sym_int_values": {"s": {"as_expr": {"expr_str": "s", "hint": {"as_int": 2}}}}}
        signature = {"input_specs": [{"parameter": {"arg": {"name": "w"}, "parameter_name": "w"}}, {"user_input": {"arg": named("x")}}],
                     "output_specs": [{"user_output": {"arg": named("y")}}]}
        return compact({"schema_version": {"major": 8, "minor": 20}, "graph_module": {
            "graph": {"inputs": [], "outputs": [], "nodes": [node], **values}, "signature": signature,
            "module_call_graph": [{"fqn": "", "signature": {"out_spec": json.dumps([1, tree])}}]}})

    body = {"as_graph": {"name": "g", "graph": {"inputs": [named("x")], "outputs": [named("x")], "nodes": [], "tensor_values": {"x": tensor}}}}
    for argument in (named("w"), body, {"as_none": True}, {"as_tensors": [{"name": "w"}]}, {"as_optional_tensors": [{"as_none": True}, named("w")]},
                     {"as_int": 1}, {"as_ints": [1]}, {"as_float": "Infinity"}, {"as_floats": [1.5]}, {"as_bool": True}, {"as_bools": [True]},
                     {"as_string": "x"}, {"as_sym_int": {"as_name": "s"}}, {"as_sym_ints": [{"as_int": 1}, {"as_name": "s"}]},
                     {"as_scalar_type": 7}, {"as_device": {"type": "cpu"}}):
        yield b"\1" + program(argument)
    weights = compact({"config": {"w": {"path_name": "weight_0", "use_pickle": False, "tensor_meta": tensor}}})
    yield b"\2" + weights
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in (("archive_format", "pt2"), ("archive_version", "0"), ("models/model.json", program(named("w"))),
                           ("data/weights/model_weights_config.json", weights), ("data/constants/model_constants_config.json", '{"config":{}}'),
                           ("data/weights/weight_0", bytes(16))):
            archive.writestr("a/" + name, data)
    yield b"\0" + file.getvalue()


def hlos():
    """The operations of the tests of the reader, each in a function that takes and returns its operands' types."""
    for file in sorted((ROOT / "test/Import/Read").glob("stablehlo-*.mlir")):
        text = re.sub(r"^ *//.*\n", "", file.read_text(), flags=re.M)
        results = dict(re.findall(r'^    (%\w+) = ("(?:[^\n]*\(\{\n.*?\n    \}\)[^\n]*|[^\n]*))$', text, re.M | re.S))
        for value, operation in results.items():
            operands = re.match(r'"[\w.]+"\((.*?)\)', operation)[1].split(", ")
            types, result = re.search(r": \(([^()]*)\) -> ([^()]*)$", operation).groups()
            constants = [f"{x} = {results[x]}" for x in dict.fromkeys(operands) if "stablehlo.constant" in results.get(x, "")]
            arguments = dict(zip(operands, re.findall(r"tensor<.*?>", types)))
            arguments = ", ".join(f"{x}: {type}" for x, type in arguments.items() if x and not any(c.startswith(x + " ") for c in constants))
            lines = "\n".join([*constants, f"{value} = {operation}"])
            yield (f'"func.func"() <{{sym_name = "main"}}> ({{\n^bb0({arguments}):\n{lines}\n"func.return"({value}) : ({result}) -> ()\n}})'
                   " : () -> ()\n").replace("^bb0():\n", "").encode()
    yield b'"func.func"() <{sym_name = "f"}> ({\n^bb0(%a: tensor<f32>):\n"func.return"(%a) : (tensor<f32>) -> ()\n}) : () -> ()\n' \
          b'"func.func"() <{sym_name = "main"}> ({\n^bb0(%a: tensor<f32> loc("p[0]")):\n%0 = "func.call"(%a) <{callee = @f}> : (tensor<f32>) -> tensor<f32>' \
          b' loc("jit(f)/h.0/add"("m.py":3:4))\n"func.return"(%0) : (tensor<f32>) -> ()\n}) : () -> ()\n'


def bare(meta):
    """What the reader reads of a tensor."""
    return {key: meta[key] for key in ("dtype", "sizes", "strides", "storage_offset", "layout", "requires_grad")}


def tensorsIn(value):
    if isinstance(value, list) or isinstance(value, dict) and "name" not in value:
        for each in value.values() if isinstance(value, dict) else value:
            yield from tensorsIn(each)
    elif isinstance(value, dict) and len(value) == 1:
        yield value["name"]


def onlyNodes(module, nodes):
    """The graph of these nodes alone: what they read and others make are inputs."""
    types, specs = module["graph"]["tensor_values"], module["signature"]["input_specs"]
    stored = {held["arg"]["name"]: spec for spec in specs for kind, held in spec.items() if kind != "user_input"}
    made = [name for node in nodes for name in tensorsIn(node["outputs"])]
    read = [name for node in nodes for each in node["inputs"] for name in tensorsIn([v for k, v in each["arg"].items() if k != "as_graph"])]
    named = lambda name: {"arg": {"as_tensor": {"name": name}}}
    inputs = [stored.get(name, {"user_input": named(name)}) for name in dict.fromkeys(read) if name in types and name not in made]
    nodes = [{key: {} if key == "metadata" else node[key] for key in ("target", "inputs", "outputs", "metadata")} for node in nodes]
    values = {key: module["graph"].get(key, {}) for key in ("sym_int_values", "sym_float_values", "sym_bool_values")}
    return {"graph": {"inputs": [], "outputs": [], "nodes": nodes, **values,
                      "tensor_values": {name: bare(types[name]) for name in dict.fromkeys(read + made) if name in types}},
            "signature": {"input_specs": inputs, "output_specs": [{"user_output": named(name)} for name in made if name in types]},
            "module_call_graph": []}


def imports():
    """Each operator of the archives of test/Import alone, with its neighbour, and the small archives; the seeds of hlo."""
    seen = set()
    for file in sorted((ROOT / "test/Import/Inputs").rglob("*.pt2")):
        with zipfile.ZipFile(file) as archive:
            members = {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}
        module = json.loads(members["models/model.json"])["graph_module"]
        nodes = module["graph"]["nodes"]
        for part in [nodes[i:i + count] for i in range(len(nodes)) for count in (1, 2)] + [nodes] * (len(nodes) <= 24):
            signs = str([(node["target"], [(each["name"], *each["arg"]) for each in node["inputs"]]) for node in part])
            if signs in seen or not part:
                continue
            seen.add(signs)
            alone = onlyNodes(module, part)
            paths = {path for spec in alone["signature"]["input_specs"] for held in spec.values() for path in held.values() if isinstance(path, str)}
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w") as archive:
                write = lambda name, data: archive.writestr(zipfile.ZipInfo("a/" + name), data)
                write("archive_format", "pt2")
                write("archive_version", "0")
                write("models/model.json", compact({"schema_version": {"major": 8, "minor": 20}, "graph_module": alone}))
                for kind in ("weights", "constants"):
                    config = json.loads(members[f"data/{kind}/model_{kind}_config.json"])["config"]
                    kept = {path: {**held, "tensor_meta": bare(held["tensor_meta"])} for path, held in config.items() if path in paths}
                    write(f"data/{kind}/model_{kind}_config.json", compact({"config": kept}))
                    for name in sorted({held["path_name"] for held in kept.values()}):
                        write(f"data/{kind}/{name}", members[f"data/{kind}/{name}"])
            yield out.getvalue()
    yield from hlos()


def wordsOfHlos():
    for source in sorted((ROOT / "lib/Import/Read").glob("*Hlo*.cpp")):
        yield from re.findall(r'"([\w.]+)"', source.read_text())
    yield from ("stablehlo.", "chlo.", "tensor<", "array<i64: ", "dense<", "xf32>", "xi32>", "xi1>", "-1", "9223372036854775807", "#stablehlo", "loc(", "callsite(")


def wordsOfPt2s():
    for source in sorted((ROOT / "lib/Import/Read").glob("*Pt2*.cpp")):
        yield from re.findall(r'"([\w./]+)"', source.read_text())
    yield from ("{", "}", "[", "]", "-1", "9223372036854775807", "null", "true", "PK\x01\x02", "PK\x03\x04", "PK\x05\x06", "PK\x06\x06", "PK\x06\x07")


TARGETS = {"parser": (declarations, words), "frontend": (declarations, words), "strategy": (strategies, keysOfTables),
           "map": (maps, keysOfTables), "tensors": (tensors, wordsOfTensors), "manifest": (manifests, keysOfManifests),
           "checkpoint": (checkpoints, wordsOfCheckpoints), "flight": (flights, wordsOfFlights),
           "pt2": (pt2s, wordsOfPt2s), "hlo": (hlos, wordsOfHlos), "import": (imports, wordsOfHlos)}


def main():
    folder, target = pathlib.Path(sys.argv[1]), sys.argv[2]
    make, list_words = TARGETS[target]
    seeds, dictionary = folder / f"seeds-{target}", folder / f"{target}.dict"
    seeds.mkdir(parents=True, exist_ok=True)
    for seed in make():
        if seed.strip() and len(seed) <= (1 << 16):
            (seeds / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
    quote = lambda word: "".join(c if " " < c < "\x7f" and c not in '"\\' else f"\\x{ord(c):02x}" for c in word)
    dictionary.write_text("".join(f'"{quote(word)}"\n' for word in dict.fromkeys(list_words())))
    print(f"{len(list(seeds.iterdir()))} seeds, {len(dictionary.read_text().splitlines())} words")


main()
