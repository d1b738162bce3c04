"""module_size.py MODULE...: prints `KERNELS CODE_BYTES` and fails unless all modules have the same."""
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Runtime", "Inputs"))
import seal_module


def size(path):
    manifest = seal_module.manifest(pathlib.Path(path).read_bytes())[0]
    return len(manifest["kernels"]), manifest["code_bytes"]


sizes = {path: size(path) for path in sys.argv[1:]}
for path, (kernels, code) in sizes.items():
    print(f"{kernels} kernels, {code} bytes of code in {path}")
sys.exit(len(set(sizes.values())) != 1)
