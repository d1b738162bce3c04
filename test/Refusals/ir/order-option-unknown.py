# run: plc-opt m.mlir --plan-partition=stage=2 -o out.mlir
# expect: <unknown>:0: error: <Pass-Options-Parser>: no such option stage
# expect: 
write("m.mlir", ir("kernels"))
