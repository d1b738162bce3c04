# run: plc-opt m.mlir -o out.mlir
# expect: m.mlir:4:197: error: found 'diagonal', expected one of contract, rows, columns, elementwise, scatter
write("m.mlir", ir("kernels").replace(b'#plan<kind elementwise>', b'#plan<kind diagonal>', 1))
