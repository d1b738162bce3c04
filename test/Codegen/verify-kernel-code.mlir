// Code that allocates, copies or calls a library is rejected, at its place in the model.
// RUN: plc-opt %s --verify-kernel-code --split-input-file --verify-diagnostics

llvm.func @expf(f32) -> f32
llvm.func @libm(%x: f32) -> f32 {
  // expected-error @+1 {{kernel calls 'expf' but may call BLIS only}}
  %y = llvm.call @expf(%x) : (f32) -> f32
  llvm.return %y : f32
}

// -----

llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @allocation(%n: i64) -> !llvm.ptr {
  // expected-error @+1 {{kernel calls 'malloc' but may call BLIS only}}
  %p = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
  llvm.return %p : !llvm.ptr
}

// -----

llvm.func @copy(%a: !llvm.ptr, %n: i64) {
  // expected-error @+1 {{kernel uses 'llvm.intr.memcpy', which is no instruction}}
  "llvm.intr.memcpy"(%a, %a, %n) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}

// -----

llvm.func @exponential(%x: f32) -> f32 {
  // expected-error @+1 {{kernel uses 'llvm.intr.exp', which is no instruction}}
  %y = llvm.intr.exp(%x) : (f32) -> f32
  llvm.return %y : f32
}

// -----

llvm.func @left(%n: i64) -> i64 {
  // expected-error @+1 {{'arith.addi' is left in a kernel's code}}
  %m = arith.addi %n, %n : i64
  llvm.return %m : i64
}
