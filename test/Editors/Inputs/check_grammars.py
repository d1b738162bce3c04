"""check_grammars.py FOLDER LEXER FILES..: the grammars of tools/editors have exactly the words of the language, as LEXER
(lib/Language/Syntax/Lexer.cpp) has them; each pattern of the TextMate grammar colours something in FILES and leaves no letter of
code without a reason; the names of nodes in the tree-sitter query are rules of its grammar."""
import json
import pathlib
import re
import sys

folder, lexer, *files = map(pathlib.Path, sys.argv[1:])
problems = []
known = set(re.findall(r'"(\w+)"', re.search(r"allWords\[\] = \{(.*?)\};", lexer.read_text(), re.S)[1]))

grammar = (folder / "tree-sitter-ein/grammar.js").read_text()
rules = set(re.findall(r"^    (\w+): \(", grammar, re.M))
words = set(re.findall(r"'([a-z]+)'", re.sub(r"(name|field\()\s*:?\s*'\w+'", "", grammar)))
query = (folder / "tree-sitter-ein/queries/highlights.scm").read_text()
queried = set(re.findall(r"^\[(.*)\] @keyword", query, re.M))
queried = {word for line in queried for word in re.findall(r'"(\w+)"', line)}
textmate = json.loads((folder / "textmate/ein.tmLanguage.json").read_text())
patterns = textmate["repository"]["code"]["patterns"]
coloured = {word for pattern in patterns for word in re.findall(r"[a-z]+", pattern["match"].replace("\\b", " "))
            if pattern["name"].startswith(("keyword", "constant.language"))}
for what, found, expected in (("grammar.js", words, known), ("highlights.scm", queried, known - {"inf"}),
                              ("ein.tmLanguage.json", coloured, known)):
    if found != expected:
        problems.append(f"{what}: lacks {sorted(expected - found)}, has besides {sorted(found - expected)}")
for node in set(re.findall(r"\((\w+)", re.sub(r'"[^"]*"', "", query))):
    if node not in rules:
        problems.append(f"highlights.scm: '{node}' is no rule of grammar.js")
for used in set(re.findall(r"\$\.(\w+)", grammar)) - rules:
    problems.append(f"grammar.js: '{used}' is no rule")

header = textmate["repository"]["header"]["match"]
used, text = set(), "\n".join(path.read_text() for path in files)
for line in text.split("\n"):
    position = 0
    while position < len(line):
        matches = [(found.start(), order, pattern["name"], found) for order, pattern in enumerate(patterns)
                   if (found := re.compile(pattern["match"]).search(line, position)) and found.end() > found.start()]
        if not matches:
            break
        start, _, name, found = min(matches, key=lambda match: match[:2])
        for word in re.findall(r"[A-Za-z_]\w*", line[position:start]):
            if word in known:
                problems.append(f"'{line}': the word '{word}' has no colour")
        used.add(name)
        position = found.end()
if not re.search(header, text, re.M):
    problems.append("no header is coloured")
for pattern in patterns:
    if pattern["name"] not in used:
        problems.append(f"ein.tmLanguage.json: nothing is {pattern['name']}")
print("\n".join(problems) if problems else f"{len(known)} words, {len(rules)} rules, {len(patterns)} patterns")
sys.exit(1 if problems else 0)
