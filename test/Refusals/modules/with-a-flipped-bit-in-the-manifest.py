# run: plc-run bench m.plcm
# expect: m.plcm: error: module has hash '{{[0-9a-f]+}}', expected '{{[0-9a-f]+}}': some of its bytes changed
bytes_ = bytearray(module())
bytes_[bytes_.index(b"micro_batches")] ^= 1
write("m.plcm", bytes_)
