# run: plc-opt absent.mlir -o out.mlir
# expect: cannot open input file 'absent.mlir': No such file or directory
