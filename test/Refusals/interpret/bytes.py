# run: plc-interpret infer m.mlir --input x=@x.npy
# expect: m.mlir:1:2: error: unexpected character
write("m.mlir", bytes(range(256)))
write("x.npy", npy())
