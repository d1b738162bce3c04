# RUN: %python %s %plc_include/../CMakeLists.txt
"""Every program prints one version, the project's."""
import re
import subprocess
import sys

version = re.search(r"^project\(plc VERSION ([\d.]+)", open(sys.argv[1]).read(), re.M)[1]
for tool in ["plc-compile", "plc-opt", "plc-run", "plc-interpret", "plc-lsp-server"]:
    printed = subprocess.run([tool, "--version"], capture_output=True, check=True, encoding="utf-8").stdout
    if printed != f"{tool} {version}\n":
        sys.exit(f"found '{printed}', expected '{tool} {version}'")
