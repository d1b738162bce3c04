"""module_size.py MODULE...: prints `KERNELS CODE_BYTES` and fails unless all modules have the same."""
import json
import pathlib
import sys


def size(path):
    data = pathlib.Path(path).read_bytes()
    start = data.index(b'{"') if b'"plcm":' in data else -1
    while True:
        try:
            manifest, _ = json.JSONDecoder().raw_decode(data[start:].split(b"\0", 1)[0].decode())
            if "kernels" in manifest:
                return len(manifest["kernels"]), manifest["code_bytes"]
        except (ValueError, UnicodeDecodeError):
            pass
        start = data.index(b'{"', start + 1)


sizes = {path: size(path) for path in sys.argv[1:]}
for path, (kernels, code) in sizes.items():
    print(f"{kernels} kernels, {code} bytes of code in {path}")
sys.exit(len(set(sizes.values())) != 1)
