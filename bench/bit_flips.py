#!/usr/bin/env python3
"""Checks that modules and checkpoints with one random bit flipped are refused or harmless.

usage: bench/bit_flips.py [FLIPS] [--seed S] [--tools FOLDER]

Half of the flips are in modules, half in the two files of a checkpoint. A flipped file must be refused with its
name, or change nothing: the same step and seed, and after another step the same loss and parameters."""
import argparse
import ctypes
import os
import pathlib
import random
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser()
parser.add_argument("flips", type=int, nargs="?", default=100000)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--tools", type=pathlib.Path, default=root / "build/bin")
arguments = parser.parse_args()
STAGES = (1, 2)


class TensorInfo(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("type", ctypes.c_int), ("rank", ctypes.c_size_t),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("bytes", ctypes.c_size_t)]


plc = ctypes.CDLL(arguments.tools.parent / "lib" / "libplcrt.so")
for name, result in {"plc_last_error": ctypes.c_char_p, "plc_module_open": ctypes.c_void_p, "plc_session_create": ctypes.c_void_p,
                     "plc_session_num_inputs": ctypes.c_size_t, "plc_module_num_parameters": ctypes.c_size_t}.items():
    getattr(plc, name).restype = result


def bytes_of(function, handle, index):
    info = TensorInfo(struct_size=ctypes.sizeof(TensorInfo))
    function(handle, ctypes.c_size_t(index), ctypes.byref(info))
    return info.bytes


def open_module(file):
    module = plc.plc_module_open(os.fsencode(file))
    return ctypes.c_void_p(module) if module else None


def refusal(file):
    """Whether the last error names the file."""
    if not plc.plc_last_error().startswith(os.fsencode(file)):
        sys.exit(f"another error: {plc.plc_last_error()}")


def resume(module, folder):
    """The step and seed of a checkpoint, or nothing."""
    step, seed = ctypes.c_int64(), ctypes.c_uint64()
    return None if plc.plc_module_resume(module, os.fsencode(folder), ctypes.byref(step), ctypes.byref(seed)) else (step.value, seed.value)


def train(module):
    """The losses of two more steps, and the parameters then."""
    session = ctypes.c_void_p(plc.plc_session_create(module, b"train"))
    count = plc.plc_session_num_inputs(session)
    chance = random.Random(0)
    inputs = []
    for i in range(count):
        size = bytes_of(plc.plc_session_describe_input, session, i)
        inputs.append((ctypes.c_int32 * (size // 4))(*(chance.randrange(256) for _ in range(size // 4))))
    pointers = (ctypes.c_void_p * count)(*(ctypes.addressof(data) for data in inputs))
    told, loss = [], ctypes.c_double()
    for step in (2, 3):
        if plc.plc_session_train(session, ctypes.c_int64(step), pointers, ctypes.byref(loss)):
            sys.exit(f"it does not train: {plc.plc_last_error()}")
        told.append(loss.value)
    for i in range(plc.plc_module_num_parameters(module)):
        data = ctypes.create_string_buffer(bytes_of(plc.plc_module_describe_parameter, module, i))
        plc.plc_module_get_parameter(module, ctypes.c_size_t(i), data)
        told.append(data.raw)
    plc.plc_session_destroy(session)
    return told


def in_child(work):
    """What may crash."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:
            print(error, flush=True)
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def flipped(original, file, chance):
    """Writes the bytes with another bit; which one."""
    bit = chance.randrange(8 * len(original))
    data = bytearray(original)
    data[bit // 8] ^= 1 << bit % 8
    file.write_bytes(data)
    return bit


class Bench:
    def __init__(self, folder):
        self.folder, self.modules, self.checkpoint, self.harmless, self.wrong = folder, [], folder / "run", 0, 0
        for stages in STAGES:
            self.modules.append(folder / f"gpt{stages}.plcm")
            sizes = [word for size in ("B=2", "S=4", "D=8", "H=2", "L=1") for word in ("-D", size)]
            subprocess.run([arguments.tools / "plc-compile", root / "examples/gpt.ein", *sizes, "--set", f"parallelism.stages={stages}",
                            "-o", self.modules[-1]], check=True)
        self.expected = folder / "expected"

    def prepare(self):
        """In a child, for a program that has opened a module has threads, which no child inherits."""
        module = open_module(self.modules[0])
        if plc.plc_module_initialize(module, ctypes.c_uint64(7)) or plc.plc_module_save(module, os.fsencode(self.checkpoint), ctypes.c_int64(1), ctypes.c_uint64(7)):
            sys.exit("no checkpoint")
        if resume(module, self.checkpoint) != (1, 7):
            sys.exit("no resume")
        self.expected.write_text(repr(train(module)))

    def check(self, file, checkpoint):
        module = open_module(file)
        if resume(module, checkpoint) != (1, 7) or repr(train(module)) != self.expected.read_text():
            sys.exit("another step, seed, loss or parameter")

    def accepted(self, what, bit, file, checkpoint):
        if in_child(lambda: self.check(file, checkpoint)):
            self.harmless += 1
        else:
            self.wrong += 1
            print(f"bit {bit} of {what} is neither refused nor harmless", flush=True)

    def flip_modules(self, count, chance):
        originals = [module.read_bytes() for module in self.modules]
        file = self.folder / "flipped.plcm"
        for _ in range(count):
            which = chance.randrange(len(originals))
            bit = flipped(originals[which], file, chance)
            if open_module(file):
                self.accepted(f"the module of {STAGES[which]} stages", bit, file, self.checkpoint)
            else:
                refusal(file)

    def flip_checkpoints(self, count, chance):
        module, step = open_module(self.modules[0]), self.checkpoint / "step-1"
        other = self.folder / "flipped"
        other.mkdir()
        names = ("params.safetensors", "state.safetensors")
        originals = {name: (step / name).read_bytes() for name in names}
        for _ in range(count):
            name = chance.choice(names)
            for each in names:
                (other / each).write_bytes(originals[each])
            # Half of the flips in the header, which the data outweigh.
            header = 8 + int.from_bytes(originals[name][:8], "little")
            if chance.random() < 0.5:
                bit = flipped(originals[name][:header], other / name, chance)
                (other / name).write_bytes((other / name).read_bytes() + originals[name][header:])
            else:
                bit = flipped(originals[name], other / name, chance)
            if resume(module, other):
                self.accepted(f"{name}", bit, self.modules[0], other)
            else:
                refusal(other / name)


with tempfile.TemporaryDirectory() as name:
    bench, chance = Bench(pathlib.Path(name)), random.Random(arguments.seed)
    if not in_child(bench.prepare):
        sys.exit(1)
    half = arguments.flips // 2
    bench.flip_modules(half, chance)
    bench.flip_checkpoints(arguments.flips - half, chance)
    print(f"{arguments.flips} flips: {arguments.flips - bench.harmless - bench.wrong} refused, {bench.harmless} harmless, {bench.wrong} wrong")
    sys.exit(bench.wrong > 0)
