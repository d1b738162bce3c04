# run: plc-opt m.mlir --plan-portion -o out.mlir
# expect: plc-opt: for the -p option: may not occur within a group!
# expect: plc-opt: Unknown command line argument '--plan-portion'.  Try: 'plc-opt --help'
# expect: plc-opt: Did you mean '-p'?
write("m.mlir", ir("kernels"))
