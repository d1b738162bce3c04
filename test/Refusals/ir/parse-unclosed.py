# run: plc-opt m.mlir -o out.mlir
# expect: m.mlir:3:15: error: expected operation name in quotes
write("m.mlir", "module {\n  ein.func @f(%x: tensor<3xf32>) {\n    ein.return\n  }")
