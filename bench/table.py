#!/usr/bin/env python3
"""Writes the tables of bench/README.md from results.csv and from the first lines of the scripts.

usage: bench/table.py [--check]

With --check it writes nothing and fails if README.md has other tables. It also checks results.csv: a row has a
command that exists, numbers as value and range, a machine, and the commit that recorded it."""
import ast
import csv
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
COLUMNS = ["what", "command", "value", "unit", "low", "high", "machine", "commit", "date", "shown"]


def problems(rows):
    seen = set()
    for number, row in enumerate(rows, 2):
        place = f"results.csv:{number}: error:"
        if not all(row[name] for name in ("what", "command", "unit", "machine", "commit", "date")):
            yield f"{place} a field is empty"
        for script in re.findall(r"\b(?:bench|test|tools)/[\w./]+", row["command"]):
            if not (FOLDER.parent / script).exists():
                yield f"{place} there is no script '{script}'"
        numbers = [float(row[name]) for name in ("low", "value", "high") if row[name]]
        if not numbers or numbers != sorted(numbers):
            yield f"{place} low, value and high are not in order"
        if not re.fullmatch(r"[0-9a-f]{8,40}", row["commit"]) or not re.fullmatch(r"\d{4}-\d\d-\d\d", row["date"]):
            yield f"{place} expected a commit and a date like 2026-01-31"
        key = row["what"], row["command"], row["unit"], row["machine"]
        if key in seen:
            yield f"{place} this measurement has a row already; replace its value, git keeps the former one"
        seen.add(key)


def results(rows):
    yield "| measurement | value | range | machine |\n|---|---|---|---|\n"
    for row in rows:
        if row["shown"]:
            span = f"{row['low']} to {row['high']}" if row["low"] else ""
            yield f"| {row['what']} | {row['value']} {row['unit']} | {span} | {row['machine']} |\n"


def scripts():
    yield "| script | purpose |\n|---|---|\n"
    for path in sorted(FOLDER.rglob("*.py"), key=lambda path: path.name):
        yield f"| `{path.relative_to(FOLDER)}` | {ast.get_docstring(ast.parse(path.read_text())).splitlines()[0]} |\n"


def main():
    with open(FOLDER / "results.csv", newline="") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
    found = list(problems(rows)) if reader.fieldnames == COLUMNS else [f"results.csv:1: error: expected {COLUMNS}"]
    if found:
        sys.exit("\n".join(found))
    page = FOLDER / "README.md"
    text = page.read_text()
    for name, table in (("scripts", scripts()), ("results", results(rows))):
        begin = text.index("\n", text.index(f"<!-- {name} -->")) + 1
        text = text[:begin] + "".join(table) + text[text.index("<!-- end -->", begin) :]
    if "--check" in sys.argv[1:]:
        if text != page.read_text():
            sys.exit("bench/README.md: error: its tables differ from results.csv and the scripts; run bench/table.py")
        print(f"bench/README.md has the tables of {len(rows)} measurements")
    else:
        page.write_text(text)


if __name__ == "__main__":
    main()
