#!/usr/bin/env python3
"""named_files.py: the files that pages, ODS and headers name are there, and so are the sections that links point to.

Where a page names a file without its folder, one of that name must lie in the folder named beside it: in CONTRIBUTING.md
in a folder that the same item names, elsewhere below F in "`X.cpp` in `F`" or "`X.cpp` (`F`)"."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAMED = re.compile(r"`((?:bench|dialects|docs|examples|include|lib|test|tools)/[\w./-]*\.\w+)`")
BARE = re.compile(r"`([\w-]+\.(?:cpp|h|def|td|py|mlir|ein|test|md|json|txt))`")
HEADER = re.compile(r"(?<![\w./])(plc/\w[\w/]*\.(?:h|def))\b")
FOLDER = re.compile(r"`((?:bench|dialects|docs|examples|include|lib|test|tools)(?:/[\w./-]*)?)`")
BESIDE = re.compile(BARE.pattern + r"(?:,? in |,? \()" + FOLDER.pattern)
ITEM = re.compile(r"^(?=\s*(?:[-*]|\d+\.)\s|\s*\||\n)", re.M)
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.M | re.S)


def sections(page):
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


problems, count = [], 0
GUIDE = ROOT / "CONTRIBUTING.md"
pages = [ROOT / "README.md", ROOT / "CHANGELOG.md", GUIDE, ROOT / "bench/README.md", *sorted(ROOT.glob("docs/**/*.md")),
         *sorted(ROOT.glob("dialects/*/Rationale.md"))]
sources = [*sorted(ROOT.glob("dialects/**/*.*")), *sorted(ROOT.glob("include/**/*.*"))]
for file in [*pages, *sources]:
    text = file.read_text()
    for name in NAMED.findall(text):
        count += 1
        if not (ROOT / name).exists():
            problems.append(f"{file.relative_to(ROOT)}: there is no file '{name}'")
for item in ITEM.split(GUIDE.read_text()):
    folders = [ROOT, *(ROOT / name for name in FOLDER.findall(item) if (ROOT / name).is_dir())]
    for name in BARE.findall(item):
        count += 1
        if not any((folder / name).exists() for folder in folders):
            named = ", ".join(str(folder.relative_to(ROOT)) for folder in folders)
            problems.append(f"{GUIDE.name}: there is no file '{name}' in {named}")
for page in pages:
    text = page.read_text()
    for name, folder in BESIDE.findall(text):
        count += 1
        if not any((ROOT / folder).rglob(name)):
            problems.append(f"{page.relative_to(ROOT)}: there is no file '{name}' in '{folder}'")
    for name in HEADER.findall(text):
        count += 1
        if not (ROOT / "include" / name).exists():
            problems.append(f"{page.relative_to(ROOT)}: there is no header '{name}'")
for page in pages:
    for target, section in LINK.findall(CODE.sub("", page.read_text())):
        count += 1
        if target.startswith("http"):
            continue
        other = (page.parent / target).resolve() if target else page
        if not other.exists():
            problems.append(f"{page.relative_to(ROOT)}: there is no file '{target}'")
        elif section and section not in sections(other):
            problems.append(f"{page.relative_to(ROOT)}: '{target}' has no section '{section}'")
print("\n".join(problems) if problems else f"all {count} files and sections that are named are there")
sys.exit(1 if problems or not count else 0)
