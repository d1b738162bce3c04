"""not_finite.py: writes data with one row that is not finite, and prints what checkpoints hold.

  make X.npy T.npy ROW VALUE   64 rows of 4 reals, and a target each; x[ROW, 2] is VALUE (or, for t:VALUE, t[ROW])
  finite FOLDER..              each step-N of the folders, and whether all tensors of its files are finite"""
import json
import pathlib
import sys

import numpy


def make(x_file, t_file, row, value):
    generator = numpy.random.default_rng(0)
    x = generator.normal(size=(64, 4)).astype("f4")
    t = generator.normal(size=64).astype("f4")
    target, _, number = value.rpartition(":")
    if target:
        t[int(row)] = float(number)
    else:
        x[int(row), 2] = float(number)
    numpy.save(x_file, x)
    numpy.save(t_file, t)


def tensors(file):
    data = pathlib.Path(file).read_bytes()
    length = int.from_bytes(data[:8], "little")
    for name, tensor in json.loads(data[8:8 + length]).items():
        if name != "__metadata__":
            begin, end = tensor["data_offsets"]
            yield numpy.frombuffer(data[8 + length + begin:8 + length + end], {"F32": "f4", "F64": "f8"}[tensor["dtype"]])


def finite(*folders):
    for folder in folders:
        for step in sorted(pathlib.Path(folder).glob("step-*"), key=lambda each: int(each.name[5:])):
            good = all(numpy.isfinite(values).all() for file in step.glob("*.safetensors") for values in tensors(file))
            print(step, "finite" if good else "not finite")


{"make": make, "finite": finite}[sys.argv[1]](*sys.argv[2:])
