"""Runs a tool on one broken input, which must be refused as its own comments say:

  run: COMMAND     without a shell; default: what compiles (.ein), plans with (.toml) or parses (.mlir) the file
  exit: CODE       default: 1, for a strategy 2
  expect: LINE     every error and note, in this order; the file's own name is left out, {{..}} is a regular expression

Places are checked against the file: the line is shown and the caret stands at the column. Nothing may stand on stdout,
and no file may be written. An input that is no text is made by a .py file, which runs in the folder of the command
with what inputs.py offers."""
import os
import pathlib
import re
import shlex
import subprocess

import inputs

RUN = {
    ".ein": ("plc-compile %s -o out.plcm", 1),
    ".toml": ("plc-compile line.ein --strategy %s -o out.plcm", 2),
    ".mlir": ("plc-opt %s -o out.mlir", 1),
    ".py": (None, 1),
}
LIMIT_SECONDS = 120
PLACE = re.compile(r"(?P<file>[^:\s]+):(?P<line>\d+):(?P<column>\d+): (error|note|warning): ")


class Case:
    def __init__(self, path):
        self.path, self.text = path, path.read_text(errors="surrogateescape")
        self.command, self.code = RUN[path.suffix]
        self.expected = []
        for key, value in re.findall(r"^\s*(?:#|//) (run|exit|expect): (.*)$", self.text, re.M):
            if key == "run":
                self.command = value
            elif key == "exit":
                self.code = int(value)
            else:
                self.expected.append(value)

    def prepare(self):
        """Puts the input into the current folder."""
        if self.path.suffix == ".py":
            exec(compile(self.text, str(self.path), "exec"), vars(inputs).copy())
        else:
            pathlib.Path(self.path.name).write_bytes(self.path.read_bytes())
        if "line.ein" in self.command:
            inputs.write("line.ein", inputs.LINE)
        if "line.plcm" in self.command and not os.path.exists("line.plcm"):
            inputs.write("line.plcm", inputs.module())

    def run(self):
        """What is wrong with the answer, as a list."""
        command = shlex.split(self.command.replace("%s", self.path.name))
        before = snapshot()
        try:
            answer = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            return [f"no answer after {LIMIT_SECONDS} s"]
        problems = [f"a file is left or changed: {name}" for name in sorted(snapshot() ^ before)]
        if answer.returncode != self.code:
            problems.append(f"exit code {answer.returncode}, expected {self.code}")
        if answer.stdout:
            problems.append(f"stdout: {answer.stdout[:200]}")
        found = diagnostics(answer.stderr.decode(errors="replace"), problems)
        own = self.path.name + ":"
        found = [line.removeprefix(own) if PLACE.match(line) else line for line in found]
        if len(found) != len(self.expected) or not all(map(matches, self.expected, found)):
            problems.append("found\n    " + "\n    ".join(found) + "\n  expected\n    " + "\n    ".join(self.expected))
        return problems


def snapshot():
    """Name, size and time of every file of the current folder."""
    return {(str(p), p.stat().st_size, p.stat().st_mtime_ns) for p in pathlib.Path(".").rglob("*") if p.is_file()}


def matches(expected, found):
    parts = re.split(r"\{\{(.*?)\}\}", expected)
    pattern = "".join(part if i % 2 else re.escape(part) for i, part in enumerate(parts))
    return re.fullmatch(pattern, found) is not None


def diagnostics(stderr, problems):
    """The lines of stderr without the source lines and carets, which are checked."""
    lines, found, last = stderr.split("\n"), [], None
    if lines.pop():
        problems.append("stderr does not end with a line end")
    while lines:
        found.append(lines.pop(0))
        place = PLACE.match(found[-1])
        where, last = last, place and place.group("file", "line", "column")
        if not place or (where == last and (not lines or PLACE.match(lines[0]))):  # MLIR shows a place once
            continue
        shown, caret = lines.pop(0) if lines else "", lines.pop(0) if lines else ""
        if not isShown(place, shown, caret):
            problems.append(f"'{found[-1]}' does not show its place:\n{shown}\n{caret}")
    return found


def isShown(place, shown, caret):
    """Whether the line is the file's and the caret stands below the byte of the column."""
    try:
        source = pathlib.Path(place["file"]).read_bytes().split(b"\n")
    except OSError:  # of the standard library
        return True
    number, column = int(place["line"]), int(place["column"])
    if number > len(source):
        return False
    before, after = (part.decode(errors="replace") for part in (source[number - 1][: column - 1],
                                                                 source[number - 1][column - 1 :].rstrip(b"\r")))
    at = caret.find("^")
    if len(before) + len(after) > 160:  # a part of a long line
        return before.endswith(shown[:at]) and after.startswith(shown[at:]) and at >= 0
    for width in (1, 8):  # tabs as they are, or as blanks
        left, line = before.expandtabs(width), (before + after).expandtabs(width)
        if len(left) == at and all(a == b or a in "?\t\ufffd" for a, b in zip(shown.rstrip(), line.rstrip())):
            return True
    return False

