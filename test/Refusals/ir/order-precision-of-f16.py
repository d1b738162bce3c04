# run: plc-opt m.mlir --ein-precision=compute=f16 -o out.mlir
# expect: two.ein:7:7: error: unknown precision 'f16' but expected 'f32' or 'f64'
write("m.mlir", ir("ein"))
