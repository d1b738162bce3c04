"""module_keys.py PAGE MODULE: each key of the module's manifest stands on the page, and each key in its tables is written."""
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Runtime", "Inputs"))
import seal_module

# Names of entries and settings are keys of the manifest, but the user's words, and those of rates are docs/strategy.md's; other initial values are written if a module has them.
UNWRITTEN = {"value", "low", "high"}


def keys(node, are_names=False):
    if isinstance(node, dict):
        for key, value in node.items():
            if not are_names:
                yield key
            yield from keys(value, key in ("entries", "rates", "settings") and not are_names)
    elif isinstance(node, list):
        for value in node:
            yield from keys(value)


page = pathlib.Path(sys.argv[1]).read_text()
written = set(keys(seal_module.manifest(pathlib.Path(sys.argv[2]).read_bytes())[0]))
described = set(re.findall(r"`([a-z0-9_]+)`", page))
if missing := sorted(written - described):
    sys.exit(f"not on the page: {missing}")
firsts = {key for row in re.findall(r"^\| (`.*?) \|", page, re.M) for key in re.findall(r"`([a-z0-9_]+)`", row)}
words = {"run", "post_recv", "wait_recv", "send", "wait_send", "drop", "step", "op"}
if unknown := sorted(firsts - written - UNWRITTEN - words):
    sys.exit(f"on the page, but in no manifest: {unknown}")
print(f"{len(written)} keys stand on the page")
