// run: plc-opt %s --verify-kernel-code -o out.mlir
llvm.func @expf(f32) -> f32
llvm.func @f(%x: f32) {
  %0 = llvm.call @expf(%x) : (f32) -> f32
  llvm.return
}
// expect: 4:8: error: kernel calls 'expf' but may call BLIS only
