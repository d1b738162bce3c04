# RUN: rm -rf %t && mkdir %t && cd %t && %python %s
"""Every tool prints 20 errors, and that there are more."""
import re
import subprocess
import sys

open("m.ein", "w").write("dim B = 4\nbatch B\nmodel m(x[B]) -> y[B] {\n" + "".join(f"  z{i}[b] = q{i}[b]\n" for i in range(50)) + "}\n")
open("s.toml", "w").write("".join(f"k{i} = 1\n" for i in range(50)))
open("e.mlir", "w").write("module {}\n")
cases = [(["plc-compile", "m.ein"], 1), (["plc-interpret", "infer", "m.ein"], 1), (["plc-run", "infer", "m.ein"], 1),
         (["plc-compile", "m.ein", "--strategy", "s.toml"], 2), (["plc-opt", "e.mlir", "--ein-to-plan=strategy=s.toml"], 1)]
for command, code in cases:
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    errors = re.findall(r"(?:^|: )error: .*", done.stderr, re.M)
    errors = [error for error in errors if "failed to add" not in error]  # of plc-opt, about its option
    if done.returncode != code or len(errors) != 21 or "error: stopped after 20 errors" not in errors[-1]:
        sys.exit(f"{command}: code {done.returncode}, {len(errors)} errors, the last one '{errors[-1]}'")
limited = subprocess.run(["plc-compile", "m.ein", "--error-limit=3"], capture_output=True, encoding="utf-8").stderr
if len(re.findall(r"error: .*", limited)) != 4 or "stopped after 3 errors; there are 48 more" not in limited:
    sys.exit(f"--error-limit=3: {limited}")
whole = subprocess.run(["plc-compile", "m.ein", "--error-limit", "0"], capture_output=True, encoding="utf-8").stderr
if len(re.findall(r"error: .*", whole)) != 51 or "stopped" in whole:
    sys.exit(f"--error-limit 0: {whole}")
wrong = subprocess.run(["plc-compile", "m.ein", "--error-limit=few"], capture_output=True, encoding="utf-8")
if wrong.returncode != 2 or "--error-limit needs a number of errors, found 'few'" not in wrong.stderr:
    sys.exit(f"--error-limit=few: {wrong.stderr}")
