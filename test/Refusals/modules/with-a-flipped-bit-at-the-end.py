# run: plc-run bench m.plcm
# expect: m.plcm: error: module has hash '{{[0-9a-f]+}}', expected '{{[0-9a-f]+}}': some of its bytes changed
bytes_ = bytearray(module())
bytes_[-1] ^= 128
write("m.plcm", bytes_)
