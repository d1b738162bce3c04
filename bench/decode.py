#!/usr/bin/env python3
"""Measures decoding by GPT-2 small (`examples/gpt2-decode.ein`) beside PyTorch on the same cores.

usage: bench/decode.py [--rounds N] [--tokens N] [--layers N] [--vocabulary N]
                       [--elements f32|bf16]   (pip install torch==2.13.0 numpy)

PyTorch's side is written by hand: preallocated keys and values up to the token, fused products of queries, keys and
values, inference mode. Both sides have the weights that plc draws, and must agree in the logits of the first tokens
up to rounding. With `--elements bf16`, matrices, tables, keys and values are bf16 on both sides, in a copy of the
example; plc then computes in f32, PyTorch in bf16. Each round decodes the same positions. Prints tokens per second,
the ratio of each round, and the weights' bytes of a token over its time, beside the bandwidth of a plain sum on one
core and on all."""
import argparse
import ctypes
import json
import os
import pathlib
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent
cores = len(os.sched_getaffinity(0))
positions = 512
type_names = {1: "F32", 6: "BF16"}  # of plc_element_type


class Info(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("type", ctypes.c_int), ("rank", ctypes.c_size_t),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("bytes", ctypes.c_size_t)]


def runtime():
    lib = ctypes.CDLL(str(root / "build/lib/libplcrt.so"))
    for name in ("plc_module_open", "plc_session_create"):
        getattr(lib, name).restype = ctypes.c_void_p
    lib.plc_last_error.restype = ctypes.c_char_p
    lib.plc_module_num_parameters.restype = ctypes.c_size_t
    return lib


def describe(function, handle, index):
    info = Info(struct_size=ctypes.sizeof(Info))
    function(handle, ctypes.c_size_t(index), ctypes.byref(info))
    return info


def write_model(folder, elements):
    """The example, or it with matrices, tables, and what it keeps, in other elements."""
    for name in ("gpt2.ein", "gpt2-decode.ein"):
        lines = (root / "examples" / name).read_text().splitlines()
        if elements != "f32":
            for at, line in enumerate(lines):
                if "~ normal" in line:
                    line = re.sub(r"(\w+)\[", rf"\1: {elements}[", line).replace("param", "param frozen")
                if line.startswith("  state"):
                    line = line.replace("[", f": {elements}[")
                if kept := re.match(r"  (ks|vs)\[", line):
                    line = f"  {kept[1]}: {elements}[B, H, T, K]\n" + line
                lines[at] = line
        (folder / name).write_text("\n".join(lines) + "\n")


def write_weights(module, file):
    """The initial values that plc draws."""
    lib = runtime()
    opened = ctypes.c_void_p(lib.plc_module_open(str(module).encode()))
    if opened.value is None or lib.plc_module_initialize(opened, ctypes.c_uint64(1)):
        sys.exit(lib.plc_last_error().decode())
    header, data, end = {}, [], 0
    for index in range(lib.plc_module_num_parameters(opened)):
        info = describe(lib.plc_module_describe_parameter, opened, index)
        values = ctypes.create_string_buffer(info.bytes)
        lib.plc_module_get_parameter(opened, ctypes.c_size_t(index), values)
        header[info.name.decode()] = {"dtype": type_names[info.type], "shape": info.shape[:info.rank],
                                      "data_offsets": [end, end + info.bytes]}
        end += info.bytes
        data.append(values.raw)
    text = json.dumps(header).encode()
    file.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(data))
    lib.plc_module_close(opened)


class Plc:
    def __init__(self, module, weights):
        import numpy
        self.lib = runtime()
        opened = ctypes.c_void_p(self.lib.plc_module_open(str(module).encode()))
        self.check(opened.value is None or self.lib.plc_module_load(opened, str(weights).encode()))
        self.session = ctypes.c_void_p(self.lib.plc_session_create(opened, b"infer"))
        self.token, self.at = numpy.zeros(1, numpy.int32), numpy.zeros(1, numpy.int32)
        self.logits = numpy.zeros(describe(self.lib.plc_session_describe_output, self.session, 0).bytes // 4, numpy.float32)
        self.inputs = (ctypes.c_void_p * 2)(self.token.ctypes.data, self.at.ctypes.data)
        self.outputs = (ctypes.c_void_p * 1)(self.logits.ctypes.data)

    def check(self, code):
        if code:
            sys.exit(self.lib.plc_last_error().decode())

    def step(self, token, position):
        self.token[0], self.at[0] = token, position
        self.check(self.lib.plc_session_run(self.session, self.inputs, self.outputs))
        return self.logits


class Torch:
    def __init__(self, weights, elements):
        import torch
        import torch.nn.functional as functional
        kind = {"f32": torch.float32, "bf16": torch.bfloat16}[elements]
        torch.set_num_threads(cores)
        self.torch, self.f = torch, functional
        data = pathlib.Path(weights).read_bytes()
        size = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8:8 + size])
        header.pop("__metadata__", None)
        held = {"F32": torch.float32, "BF16": torch.bfloat16}
        w = {name: torch.frombuffer(bytearray(data[8 + size:][slice(*info["data_offsets"])]), dtype=held[info["dtype"]])
             .view(info["shape"]).to(kind) for name, info in header.items()}
        self.w, self.layers = w, []
        while f"attention.{len(self.layers)}.wq" in w:
            a, b = f"attention.{len(self.layers)}.", f"ffn.{len(self.layers)}."
            heads, width = w[a + "wq"].shape[1:]
            self.layers.append({
                "norm1": (w[a + "g"], w[a + "c"]), "norm2": (w[b + "g"], w[b + "c"]), "heads": heads,
                "qkv": torch.cat([w[a + "w" + n].flatten(1).T for n in "qkv"]).contiguous(),
                "qkv0": torch.cat([w[a + "b" + n].flatten() for n in "qkv"]),
                "out": w[a + "wo"].flatten(0, 1).T.contiguous(), "out0": w[a + "bo"],
                "up": w[b + "w1"].T.contiguous(), "up0": w[b + "b1"], "down": w[b + "w2"].T.contiguous(),
                "down0": w[b + "b2"], "keys": torch.zeros(1, heads, positions, width, dtype=kind),
                "values": torch.zeros(1, heads, positions, width, dtype=kind)})

    def step(self, token, position):
        f, w = self.f, self.w
        with self.torch.inference_mode():
            x = w["embed.wte"][token:token + 1] + w["embed.wpe"][position]
            for layer in self.layers:
                n = f.layer_norm(x, x.shape[1:], *layer["norm1"])
                q, k, v = f.linear(n, layer["qkv"], layer["qkv0"]).view(3, 1, layer["heads"], 1, -1).unbind()
                layer["keys"][:, :, position], layer["values"][:, :, position] = k[:, :, 0], v[:, :, 0]
                o = f.scaled_dot_product_attention(q, layer["keys"][:, :, :position + 1],
                                                   layer["values"][:, :, :position + 1])
                x = x + f.linear(o.view(1, -1), layer["out"], layer["out0"])
                n = f.layer_norm(x, x.shape[1:], *layer["norm2"])
                h = f.gelu(f.linear(n, layer["up"], layer["up0"]), approximate="tanh")
                x = x + f.linear(h, layer["down"], layer["down0"])
            n = f.layer_norm(x, x.shape[1:], w["head.g"], w["head.c"])
            return f.linear(n, w["embed.wte"])[0].float().numpy()


def token_at(position, vocabulary):
    return (position * 7919 + 13) % vocabulary


def serve(side):
    """Each line of input, `FIRST COUNT VOCABULARY SHOWN`: decodes those positions, and tells how long it took, and the
    last logits, of which `SHOWN` are told."""
    for line in sys.stdin:
        first, count, vocabulary, shown = (int(word) for word in line.split())
        begin = time.perf_counter()
        for position in range(first, first + count):
            logits = side.step(token_at(position, vocabulary), position)
        seconds = time.perf_counter() - begin
        print(json.dumps([seconds, [float(value) for value in logits[:shown]]]), flush=True)


def bandwidth(count):
    """Bytes per second of a sum over so many numbers: by numpy on one core, by PyTorch on all."""
    import numpy
    import torch
    numbers = numpy.ones(count, numpy.float32)
    tensor = torch.from_numpy(numbers)
    torch.set_num_threads(cores)

    def best(run):
        times = []
        for _ in range(7):
            begin = time.perf_counter()
            run()
            times.append(time.perf_counter() - begin)
        return 4 * count / min(times)

    return best(numbers.sum), best(tensor.sum)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--tokens", type=int, default=24, help="of a round, on each side")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--vocabulary", type=int, default=50257)
    parser.add_argument("--elements", choices=["f32", "bf16"], default="f32", help="of matrices, tables, keys and values")
    parser.add_argument("--serve", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        side, *given = options.serve
        return serve({"plc": Plc, "torch": Torch}[side](*given))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        module, weights = folder / "decode.plcm", folder / "weights.safetensors"
        sizes = [f"-DT={positions}", f"-DL={options.layers}", f"-DV={options.vocabulary}"]
        write_model(folder, options.elements)
        subprocess.run([root / "build/bin/plc-compile", folder / "gpt2-decode.ein", *sizes, "--set",
                        f"machine.threads_per_stage={cores}", "-o", module], check=True)
        write_weights(module, weights)
        words = {"plc": ["plc", module, weights], "torch": ["torch", weights, options.elements]}
        sides = {name: subprocess.Popen([sys.executable, __file__, "--serve", *map(str, given)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True) for name, given in words.items()}

        def ask(name, first, count, shown=0):
            side = sides[name]
            side.stdin.write(f"{first} {count} {options.vocabulary} {shown}\n")
            side.stdin.flush()
            return json.loads(side.stdout.readline())

        for position in range(4):
            ours, theirs = (ask(name, position, 1, 1000)[1] for name in sides)
            worst = max(abs(a - b) for a, b in zip(ours, theirs))
            if worst > {"f32": 1e-4, "bf16": 3e-2}[options.elements] * max(1, max(abs(value) for value in theirs)):
                sys.exit(f"logits at position {position} differ by {worst}")
        rates, ratios, first = {name: [] for name in sides}, [], 4
        for turn in range(options.rounds + 1):
            seconds = {name: ask(name, first, options.tokens)[0] for name in (list(sides) if iteration % 2 else list(sides)[::-1])}
            first += options.tokens
            if iteration == 0:
                continue  # what is computed once
            for name in sides:
                rates[name].append(options.tokens / seconds[name])
            ratios.append(seconds["torch"] / seconds["plc"])
        for side in sides.values():
            side.stdin.close()
            side.wait()
    parameters = 124439808 if options.layers == 12 and options.vocabulary == 50257 else 0
    bytes_of = {"f32": 4, "bf16": 2}[options.elements]
    for name in sides:
        median = statistics.median(rates[name])
        print(f"{name}: {median:.1f} tokens/s ({min(rates[name]):.1f} to {max(rates[name]):.1f})" +
              (f", {bytes_of * parameters * median / 1e9:.1f} GB/s of weights" if parameters else ""))
    print(f"plc is {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) times as fast")
    one, all_cores = bandwidth(64 << 20)
    print(f"a sum over 256 MiB: {one / 1e9:.1f} GB/s on one core, {all_cores / 1e9:.1f} GB/s on {cores}")


if __name__ == "__main__":
    main()
