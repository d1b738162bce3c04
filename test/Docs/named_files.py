#!/usr/bin/env python3
"""named_files.py: the files that pages, ODS and headers name are there, and so are the sections that links point to.

A recipe of CONTRIBUTING.md names files without folders, so that they may move; one of that name must be there."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAMED = re.compile(r"`((?:bench|dialects|docs|examples|include|lib|test|tools)/[\w./-]*\.\w+)`")
BARE = re.compile(r"`([\w-]+\.(?:cpp|h|def|td|py|mlir|ein|test|md|json|txt))`")
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
folders = ("bench", "dialects", "docs", "examples", "include", "lib", "test", "tools")
known = {path.name for folder in folders for path in (ROOT / folder).rglob("*")}
known |= {path.name for path in ROOT.glob("*")}
for name in BARE.findall(GUIDE.read_text()):
    count += 1
    if name not in known:
        problems.append(f"{GUIDE.name}: there is no file '{name}'")
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
