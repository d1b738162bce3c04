# run: plc-run bench m.plcm
# expect: m.plcm: error: not a compiled module (offset 0)
write("m.plcm", bytes(4096))
