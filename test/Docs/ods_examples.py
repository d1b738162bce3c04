#!/usr/bin/env python3
"""ods_examples.py: checks the examples in the descriptions of all operations, and of attributes (dialects/*/*Ops.td).

An example is one of two things. It is an equation behind the word "Example:", which plc-opt parses in a body whose
arguments are the equation's operands. Or it is a `mlir` fence behind the words "from `FILE`", whose lines stand in that
file in this order, next to each other except where the example has a line '...'; plc-opt parses FILE. Lines of comments
in FILE are passed over, and blanks count alike. Each operation must have one, attributes may. Exit 1 with a list of what is wrong."""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EQUATION = re.compile(r"Example: `(%\w+) = (ein\.\w+ [^`]*?) : \(((?!\.)[^`()]*)\)\s*->\s*([^`]*)`")
EXAMPLE = re.compile(r"from `(test/[^`]+)`:\s*```mlir\n(.*?)```", re.S)


def described():
    """(dialect.operation, description) of all dialects, and (#dialect.attribute, description) of what has an example."""
    for file in sorted((ROOT / "dialects").glob("*/*Ops.td")):
        command = ["llvm-tblgen", "-dump-json", f"-I{ROOT}", "-I/usr/lib/llvm-22/include", str(file)]
        records = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout)
        for name in records["!instanceof"]["Op"]:
            op = records[name]
            dialect = records[op["opDialect"]["def"]]["name"]
            yield f"{dialect}.{op['opName']}", op.get("description") or ""
        for name in records["!instanceof"]["AttrDef"]:
            attribute = records[name]
            dialect = records[attribute["dialect"]["def"]]["name"]
            if EXAMPLE.search(attribute.get("description") or ""):
                yield f"#{dialect}.{attribute['mnemonic']}", attribute["description"]


def linesOf(text):
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return [line for line in lines if line and not line.startswith("//")]


def occurs(example, lines):
    """Whether the parts between lines '...' stand in `lines`, in order."""
    parts, begin = [[]], 0
    for line in example:
        parts.append([]) if line == "..." else parts[-1].append(line)
    for part in parts:
        places = range(begin, len(lines) - len(part) + 1)
        found = next((at for at in places if lines[at : at + len(part)] == part), None)
        if found is None:
            return False
        begin = found + len(part)
    return True


def refusal(result, equation, types, type_):
    """What plc-opt says of an equation whose operands are arguments; empty if it parses it."""
    accumulator = re.search(r"into (%\w+) : (\S+)", equation)
    operands = re.findall(r"%\w+", equation.replace(accumulator[0], "") if accumulator else equation)
    arguments = dict(zip(operands, re.split(r",\s*(?![^<]*>)", types)))
    if accumulator:
        arguments[accumulator[1]] = accumulator[2]
    header = ", ".join(f"{operand}: {argument}" for operand, argument in arguments.items())
    text = f"ein.func @example({header}) -> {type_} {{\n" f"  {result} = {equation} : ({types}) -> {type_}\n"
    text += f"  ein.return {result} : {type_}\n}}\n"
    run = subprocess.run(["plc-opt", "-", "-o", "/dev/null"], input=text, capture_output=True, text=True)
    return "" if run.returncode == 0 else text + run.stderr


def main():
    problems, files, count = [], {}, 0
    for op, description in described():
        examples = EXAMPLE.findall(description)
        equations = EQUATION.findall(description)
        count += 1
        for result, equation, types, type_ in equations:
            why = refusal(result, " ".join(equation.split()), " ".join(types.split()), " ".join(type_.split()))
            if why:
                problems.append(f"'{op}': its example is refused:\n{why}")
            if not equation.startswith(op + " "):
                problems.append(f"'{op}': its example does not show it")
        if not examples and not equations:
            problems.append(f"'{op}' has no example")
        for name, example in examples:
            path = ROOT / name
            if not path.exists():
                problems.append(f"'{op}': there is no file '{name}'")
                continue
            if name not in files:
                files[name] = linesOf(path.read_text())
                run = subprocess.run(["plc-opt", str(path), "-o", "/dev/null"], capture_output=True, text=True)
                if run.returncode:
                    problems.append(f"'{name}' is refused:\n{run.stderr}")
            if not re.search(rf"{re.escape(op)}\b", example):
                problems.append(f"'{op}': its example does not show it")
            if not occurs(linesOf(example), files[name]):
                problems.append(f"'{op}': its example does not stand in '{name}' any more:\n{example}")
    print("\n".join(problems) if problems else f"the examples of {count} operations and attributes are parsed by tests")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
