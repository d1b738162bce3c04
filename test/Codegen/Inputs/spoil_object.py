"""spoil_object.py FOLDER cut|empty|flip|swap: damages the objects of a cache. Fails if there are none."""
import pathlib
import sys

folder, how = sys.argv[1:]
files = sorted(pathlib.Path(folder).glob("llvmcache-*"))
all_bytes = [file.read_bytes() for file in files]
assert len(files) == (2 if how == "swap" else 1), files
if how == "swap":
    all_bytes.reverse()
for file, data in zip(files, all_bytes):
    middle = len(data) // 2
    flipped = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1:]
    file.write_bytes({"cut": data[:-1], "empty": b"", "flip": flipped, "swap": data}[how])
