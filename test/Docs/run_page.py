#!/usr/bin/env python3
"""run_page.py PAGE.md: runs every fenced example of a page, in the current folder. The words behind the fence say how:

  ein             plc-compile accepts it; a file without a model gets one, so that its rules are checked
  ein refused     plc-compile refuses it (exit 1) with the errors and notes that the following `text` fence shows
  toml            plc-compile accepts it as a strategy
  toml refused    plc-compile refuses it (exit 2), as above
  toml cluster    describes a cluster, to the commands behind it
  toml map        plc-run accepts it as a map of names of weights
  mlir            plc-opt parses and verifies it
  c, c++          a compiler accepts it, with the project's headers
  python          Python compiles it; it is not run, for what it imports may not be installed
  sh              commands. If lines begin with '$ ', those are the commands and the others are what they print, where
                  '...' stands for anything; else it is a script, and what that prints is not compared
  text            what the example before it prints

A further word with a point, as in `ein line.ein`, is a file to which the example is written for the commands behind it.
A fence that is none of these is an error. Exit 1 with the places of all examples that fail."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODEL = "\nmodel page(page_x[1]) -> page_y[1] { page_y = page_x }\n"
LIMIT_SECONDS = 300


class Example:
    def __init__(self, line, info, text):
        words = info.split()
        self.line, self.text = line, text
        self.language = words[0] if words else ""
        self.isRefused = "refused" in words[1:]
        # What a command reads, not a strategy.
        self.isInput = self.language == "toml" and next((word for word in words[1:] if word in ("cluster", "map")), None)
        self.name = next((word for word in words[1:] if "." in word), None)
        self.unknown = [word for word in words[1:] if word not in ("refused", self.name, self.isInput)]


def examples(page):
    """All fences of a page with the line on which they begin."""
    found, begin = [], None
    lines = page.read_text().split("\n")
    for number, line in enumerate(lines, 1):
        if begin is None and line.lstrip().startswith("```"):
            begin, indent = number, len(line) - len(line.lstrip())
        elif begin is not None and line.strip() == "```":
            body = "".join(text[indent:] + "\n" for text in lines[begin : number - 1])
            found.append(Example(begin, lines[begin - 1].strip()[3:], body))
            begin = None
    if begin is not None:
        sys.exit(f"{page.name}:{begin}: error: this fence is not closed")
    return found


def run(command, text=None, shell=False):
    done = subprocess.run(command, input=text, shell=shell, capture_output=True, text=True, timeout=LIMIT_SECONDS,
                          executable="/bin/bash" if shell else None)
    return done.returncode, done.stdout, done.stderr


def isShownBy(expected, found):
    """Whether the lines `found` are those `expected`: '...' stands for any text, on a line of its own for any lines."""
    pattern = ""
    for line in expected.rstrip("\n").split("\n"):
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(map(re.escape, (re.sub(r" +", " ", part) for part in line.rstrip().split("...")))) + r"\n"
    found = "".join(re.sub(r" +", " ", line.rstrip()) + "\n" for line in found.rstrip("\n").split("\n"))
    return re.fullmatch(pattern, found) is not None


def commands(text):
    """(command, expected output or None) for each command of a fence."""
    if not re.search(r"^\$ ", text, re.M):
        return [("set -e\n" + text, None)]
    found = []
    for block in re.split(r"^\$ ", text, flags=re.M)[1:]:
        lines = block.split("\n")
        command = lines.pop(0)
        while command.endswith("\\"):
            command = command[:-1] + lines.pop(0).strip()
        found.append((command, "\n".join(lines).strip("\n")))
    return found


def runCommands(example):
    for command, expected in commands(example.text):
        code, out, errors = run(command, shell=True)
        if code:
            return f"'{command}' exits with {code}:\n{out}{errors}"
        if expected is not None and not isShownBy(expected, out):
            return f"'{command}' prints\n{out}but the page shows\n{expected}"
    return None


def checkMap(name):
    """A map is read before the weights are, of which there are none here."""
    pathlib.Path("page.ein").write_text(MODEL)
    code, out, errors = run(["plc-run", "params", "page.ein", "--params", "none.safetensors", "--map", name])
    return None if errors.startswith("none.safetensors: error: ") else f"a command that reads {name} says\n{errors}"


def check(example, after):
    """What is wrong with an example, or None. `after` is the fence that follows it."""
    if example.unknown:
        return f"unknown words {example.unknown} behind the fence"
    text, refusedWith = example.text, 1
    if example.isInput:
        if not example.name:
            return f"a {example.isInput} needs a file's name"
        pathlib.Path(example.name).write_text(text)
        return checkMap(example.name) if example.isInput == "map" else None
    if example.language == "ein":
        file = example.name or "example.ein"
        text += "" if re.search(r"^model ", text, re.M) or example.isRefused else MODEL
        command = ["plc-compile", file, "--emit=micro-batch"]
    elif example.language == "toml":
        file, refusedWith = example.name or "example.toml", 2
        command = ["plc-compile", "--explain-strategy", "--strategy", file]
    elif example.language == "mlir":
        file = example.name or "example.mlir"
        command = ["plc-opt", file]
    elif example.language in ("c", "c++"):
        file = example.name or "example." + example.language.replace("+", "p")
        command = ["c++" if example.language == "c++" else "cc", "-fsyntax-only", f"-I{ROOT / 'include'}", file]
    elif example.language == "python":
        file = example.name or "example.py"
        command = [sys.executable, "-m", "py_compile", file]
    elif example.language == "sh":
        return runCommands(example)
    elif example.language == "text":
        return None if example.isAnswer else "a `text` fence shows what the example before it prints, but that prints nothing"
    else:
        return f"no test runs a fence of '{example.language}'"
    pathlib.Path(file).write_text(text)
    code, out, errors = run(command)
    if code != (refusedWith if example.isRefused else 0):
        return f"'{' '.join(command)}' exits with {code}:\n{errors}"
    if example.isRefused:
        if not after or after.language != "text":
            return "no `text` fence shows what is printed"
        after.isAnswer = True
        if not isShownBy(after.text, errors):
            return f"the errors are\n{errors}but the page shows\n{after.text}"
    return None


def main(page):
    found = examples(page)
    failed = 0
    for example in found:
        example.isAnswer = False
    for example, after in zip(found, found[1:] + [None]):
        problem = check(example, after)
        if problem:
            failed += 1
            print(f"{page.name}:{example.line}: error: {problem}")
    print(f"{len(found) - failed} of {len(found)} examples do what {page.name} says")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
