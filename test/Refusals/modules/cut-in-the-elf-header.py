# run: plc-run bench m.plcm
# expect: m.plcm: error: no seal at the end: not a compiled module, or cut short, or something was appended (offset {{\d+}})
write("m.plcm", module()[:30])
