#!/usr/bin/env python3
"""std_table.py [--write] PAGE.md: the tables of the page are the functions of the standard library, with the comments that
stand above them in lib/Language/std. Without --write, exit 1 with the first line that differs."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FUNCTION = re.compile(r"((?:^# .*\n)+)^((?:fn|optimizer) [^{]*?) \{", re.M)


def table(name):
    text = (ROOT / "lib/Language/std" / f"{name}.ein").read_text()
    lines = ["| function | meaning |", "|---|---|"]
    documented = FUNCTION.findall(text)
    missing = set(re.findall(r"^(?:fn|optimizer) (\w+)", text, re.M)) - {header.split(" ")[1].split("(")[0] for _, header in documented}
    if missing:
        sys.exit(f"{name}.ein: no comment stands above {sorted(missing)}")
    for comment, header in documented:
        signature = " ".join(header.split()[1:])
        meaning = " ".join(line[2:] for line in comment.splitlines())
        lines.append(f"| `{signature}` | {meaning} |")
    return "\n".join(lines)


def fill(page):
    """The page with its tables as they should be: each stands behind a heading `## std.NAME` and a paragraph."""
    names = re.findall(r"^## std\.(\w+)", page, re.M)
    files = sorted(path.stem for path in (ROOT / "lib/Language/std").glob("*.ein"))
    if sorted(names) != files:
        sys.exit(f"the page has {names}, expected {files}")
    head, *sections = re.split(r"^(?=## )", page, flags=re.M)
    page = head
    for section in sections:
        prose = "".join(line + "\n" for line in section.rstrip("\n").split("\n") if not line.startswith("|")).rstrip("\n")
        page += prose + "\n\n" + table(re.match(r"## std\.(\w+)", section)[1]) + "\n\n"
    return page.rstrip("\n") + "\n"


path = pathlib.Path(sys.argv[-1])
text = path.read_text()
filled = fill(text)
if "--write" in sys.argv:
    path.write_text(filled)
elif filled != text:
    for found, expected in zip(text.split("\n"), filled.split("\n")):
        if found != expected:
            sys.exit(f"{path.name}: found\n{found}\nexpected\n{expected}\n(test/Docs/std_table.py --write docs/std.md writes it)")
    sys.exit(f"{path.name}: lines are missing or too many")
