"""Prints each equation, function and reduction of the ein dialect that no body compared by kernel-check has in both f32
and f64, or in both i32 and i64 (a file's second run is its text with the first type replaced).

usage: coverage.py FOLDER_OF_TESTS FUNCTIONS_DEF EIN_DIALECT_TD EIN_OPS_TD"""
import pathlib
import re
import sys

folder, table, dialect, ops = map(pathlib.Path, sys.argv[1:])
compared = ""
for file in sorted(folder.glob("*.mlir")):
    text = file.read_text()
    if "%unit/kernel-check %s" in text and re.search("sed s/(f32/f64|i32/i64)/g %s > %t && %unit/kernel-check %t", text):
        compared += "\n".join(line for line in text.splitlines() if not line.startswith("//")) + "\n"
# What the name of each case is in the text of a program.
cases = dialect.read_text()
functions = re.findall(r'^PLC_FUNCTION\(\w+, "(\w+)"', table.read_text(), re.M)
reductions = re.findall(r'I32EnumAttrCase<"(\w+)"', re.search(r"def Ein_Reduction .*?\]>", cases, re.S)[0])
equations = re.findall(r'def Ein_\w+ : Ein_\w+<"(\w+)"', ops.read_text())
equations = [name for name in equations if name not in ("stop", "next", "random", "training")]  # erased before kernels are formed
wanted = {f"ein.map {name}" for name in functions} | {f"ein.reduce {name}" for name in reductions}
wanted |= {f"ein.{name}" for name in equations}
assert len(functions) > 30 and len(reductions) == 6 and len(equations) > 6, (functions, reductions, equations)
missing = sorted(name for name in wanted if not re.search(re.escape(name) + r"\b", compared))
print(f"{len(wanted) - len(missing)} of {len(wanted)} compared", *missing)
