"""check_tokens.py NAME.json NAME.expected: `plc-run tokenize` gives each text the tokens that make_goldens.py has written, and what
they add one after another is the text that was written for them all."""
import json, re, subprocess, sys

ESCAPE = re.compile(rb"\\(x[0-9a-f]{2}|n|.)")


def unquoted(line):
    return ESCAPE.sub(lambda m: bytes([int(m[1][1:], 16)]) if m[1][:1] == b"x" and len(m[1]) == 3 else b"\n" if m[1] == b"n" else m[1], line[1:-1])


wrong, lines = 0, open(sys.argv[2]).read().splitlines()
for line in lines:
    golden = json.loads(line)
    done = subprocess.run(["plc-run", "tokenize", sys.argv[1], "@-"], input=golden["text"].encode(), capture_output=True)
    rows = [row.split(b" ", 1) for row in done.stdout.splitlines()]
    ids, text = [int(row[0]) for row in rows], b"".join(unquoted(row[1]) for row in rows).decode(errors="replace")
    if done.returncode or (ids, text) != (golden["ids"], golden["decoded"]):
        wrong += 1
        print(f"{golden['text']!r}\n  tokens {ids}\n  but    {golden['ids']}\n  text {text!r}\n  but  {golden['decoded']!r}\n  {done.stderr.decode()}")
print(f"{len(lines) - wrong} of {len(lines)} texts have their tokens")
sys.exit(1 if wrong else 0)
