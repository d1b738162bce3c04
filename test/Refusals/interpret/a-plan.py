# run: plc-interpret infer m.mlir --input x=@x.npy
# expect: m.mlir:4:3: error: operation 'plan.kernel' is not interpreted: IR of '--emit=numerics' and earlier phases is
write("m.mlir", ir("partition"))
write("x.npy", npy())
