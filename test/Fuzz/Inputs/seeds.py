"""seeds.py FOLDER: writes what a fuzz run starts from: FOLDER/seeds, the declarations of every program of the examples, the
standard library, the tests and the pages of docs/, each a file, and FOLDER/ein.dict, the words and symbols of the language."""
import hashlib
import pathlib
import re
import sys

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
    lexer = (ROOT / "lib/Language/Lexer.cpp").read_text()
    yield from re.findall(r'"(\w+)"', re.search(r"allWords\[\] = \{(.*?)\};", lexer, re.S)[1])
    yield from re.findall(r'"([^"]+)"', re.search(r"for \(StringRef symbol : \{(.*?)\}\)", lexer, re.S)[1])
    yield from re.search(r'StringRef\("(.*?)"\)\.contains\(c\)', lexer)[1]
    functions = (ROOT / "include/plc/Dialect/Ein/Functions.def").read_text()
    yield from re.findall(r'^PLC_\w+\(\w+, "?(\w+)"?', functions, re.M)
    yield from re.findall(r'"(\w+)"', (ROOT / "lib/Language/Builtins.h").read_text())
    yield from re.findall(r', "(\w+)"', (ROOT / "include/plc/Support/ElementTypes.def").read_text())
    for library in sorted((ROOT / "lib/Language/std").glob("*.ein")):
        yield f"use std.{library.stem}"
        yield from re.findall(r"^fn (\w+)", library.read_text(), re.M)
    yield from ("normal", "uniform", "constant", "\n", "# ", "loss", "0.5", "1e-5", "9223372036854775807", "\xef\xbb\xbf")


def main():
    folder = pathlib.Path(sys.argv[1])
    seeds = folder / "seeds"
    seeds.mkdir(parents=True, exist_ok=True)
    for program in programs():
        for piece in pieces(program):
            if piece.strip() and len(piece) <= 4096:
                (seeds / hashlib.sha1(piece).hexdigest()).write_bytes(piece)
    quote = lambda word: "".join(c if " " < c < "\x7f" and c not in '"\\' else f"\\x{ord(c):02x}" for c in word)
    (folder / "ein.dict").write_text("".join(f'"{quote(word)}"\n' for word in dict.fromkeys(words())))
    print(f"{len(list(seeds.iterdir()))} seeds, {len((folder / 'ein.dict').read_text().splitlines())} words")


main()
