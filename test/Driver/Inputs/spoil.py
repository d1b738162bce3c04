"""spoil.py FOLDER HOW: spoils the file of rates in a folder."""
import pathlib
import sys

folder, how = sys.argv[1:]
(file,) = pathlib.Path(folder).glob("rates-*.toml")
text = file.read_text()
lines = text.splitlines(True)
file.write_text({"garbage": "\0\1\2", "line": "".join(lines[:-1]), "digit": text[:-4]}[how])
