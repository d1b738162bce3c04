"""Appends the seal of a module to a shared object: seal_module.py FILE [VERSION]. Reads manifests for other scripts."""
import json, os, re, struct, sys

SIZE = 24
header = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../include/plc/Module/ModuleSeal.h")
VERSION = int(re.search(r"currentVersion = (\d+);", open(header).read())[1])


def seal(path, version=VERSION):
    with open(path, "rb") as file:
        body = file.read() + b"plcmseal" + struct.pack("<Q", version)
    value = 0xCBF29CE484222325
    for byte in body:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    with open(path, "wb") as file:
        file.write(body + struct.pack("<Q", value))


def manifest(data):
    """The manifest in the bytes of a module, where it starts, and its length."""
    marker = b'{"code_bytes"'  # its first key, and no other text's
    start = data.index(marker)
    found, length = json.JSONDecoder().raw_decode(data[start:].decode("latin-1"))
    return found, start, length


if __name__ == "__main__":
    seal(sys.argv[1], *map(int, sys.argv[2:]))
