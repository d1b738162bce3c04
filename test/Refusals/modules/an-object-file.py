# run: plc-run bench m.plcm
# expect: m.plcm: error: no seal at the end: not a compiled module, or cut short, or something was appended (offset {{\d+}})
import subprocess
write("line.ein", LINE)
subprocess.run(["plc-compile", "line.ein", "--emit=object", "-o", "m.plcm"], check=True)
