// run: plc-opt %s --verify-kernel-code -o out.mlir
llvm.func @f(%n: i64) {
  %0 = memref.alloc() : memref<4xf32>
  llvm.return
}
// expect: 3:8: error: 'memref.alloc' is left in a kernel's code
