// Lines stand in an order that follows from what reads what, however they stand in the text.
// RUN: plc-opt %s --split-input-file --ein-order-lines | FileCheck %s
// RUN: plc-opt %s --split-input-file --ein-order-lines --ein-order-lines | FileCheck %s

#id = affine_map<(i) -> (i)>
!t = tensor<2xf32>
ein.func @f(%x: !t) -> !t {
  %0 = ein.map tanh(%x) over [2] maps [#id, #id] : (!t) -> !t
  ein.return %0 : !t
}
ein.func @mix(%x: !t, %y: !t) -> !t {
  %0 = ein.map add(%x, %y) over [2] maps [#id, #id, #id] : (!t, !t) -> !t
  ein.return %0 : !t
}
// The longer chain comes first.
// CHECK: ein.model @m
// CHECK-NEXT: path "a"
// CHECK-NEXT: path "b"
// CHECK-NEXT: path "c"
// CHECK-NEXT: path "y"
// CHECK-NEXT: ein.return
ein.model @m(%x: !t) -> !t attributes {arg_batch = array<i64: -1>, arg_names = ["x"], result_batch = array<i64: -1>, result_names = ["y"]} {
  %c = ein.call @f(%x) path "c" : (!t) -> !t
  %a = ein.call @f(%x) path "a" : (!t) -> !t
  %b = ein.call @f(%a) path "b" : (!t) -> !t
  %y = ein.call @mix(%c, %b) path "y" : (!t, !t) -> !t
  ein.return %y : !t
}

// -----

#id = affine_map<(i) -> (i)>
!t = tensor<2xf32>
ein.func @f(%x: !t) -> !t {
  %0 = ein.map tanh(%x) over [2] maps [#id, #id] : (!t) -> !t
  ein.return %0 : !t
}
ein.func @mix(%x: !t, %y: !t) -> !t {
  %0 = ein.map add(%x, %y) over [2] maps [#id, #id, #id] : (!t, !t) -> !t
  ein.return %0 : !t
}
// An equation behind which an operand is not needed stands where it can; one that would hold more bytes, where it must.
// CHECK: ein.model @sum
// CHECK-NEXT: path "a"
// CHECK-NEXT: path "b"
// CHECK-NEXT: ein.map add
// CHECK-NEXT: path "c"
// CHECK-NEXT: path "d"
// CHECK-NEXT: ein.map tanh
// CHECK-NEXT: path "y"
ein.model @sum(%x: !t) -> (!t, !t) attributes {arg_batch = array<i64: -1>, arg_names = ["x"], result_batch = array<i64: -1, -1>, result_names = ["y", "d"]} {
  %a = ein.call @f(%x) path "a" : (!t) -> !t
  %b = ein.call @f(%a) path "b" : (!t) -> !t
  %h = ein.map tanh(%b) over [2] maps [#id, #id] : (!t) -> !t
  %c = ein.call @mix(%b, %b) path "c" : (!t, !t) -> !t
  %s = ein.map add(%a, %b) over [2] maps [#id, #id, #id] : (!t, !t) -> !t
  %d = ein.call @mix(%s, %c) path "d" : (!t, !t) -> !t
  %y = ein.call @mix(%d, %h) path "y" : (!t, !t) -> !t
  ein.return %y, %b : !t, !t
}

// -----

#id = affine_map<(i) -> (i)>
!t = tensor<2xf32>
ein.func @f(%x: !t) -> !t {
  %0 = ein.map tanh(%x) over [2] maps [#id, #id] : (!t) -> !t
  ein.return %0 : !t
}
ein.func @mix(%x: !t, %y: !t) -> !t {
  %0 = ein.map add(%x, %y) over [2] maps [#id, #id, #id] : (!t, !t) -> !t
  ein.return %0 : !t
}
// Equally long chains come in the order of the operands.
// CHECK: ein.model @equal
// CHECK-NEXT: path "b"
// CHECK-NEXT: path "a"
// CHECK-NEXT: path "y"
ein.model @equal(%x: !t) -> !t attributes {arg_batch = array<i64: -1>, arg_names = ["x"], result_batch = array<i64: -1>, result_names = ["y"]} {
  %a = ein.call @f(%x) path "a" : (!t) -> !t
  %b = ein.call @f(%x) path "b" : (!t) -> !t
  %y = ein.call @mix(%b, %a) path "y" : (!t, !t) -> !t
  ein.return %y : !t
}

// -----

#id = affine_map<(i) -> (i)>
!t = tensor<2xf32>
ein.func @f(%x: !t) -> !t {
  %0 = ein.map tanh(%x) over [2] maps [#id, #id] : (!t) -> !t
  ein.return %0 : !t
}
ein.func @mix(%x: !t, %y: !t) -> !t {
  %0 = ein.map add(%x, %y) over [2] maps [#id, #id, #id] : (!t, !t) -> !t
  ein.return %0 : !t
}
// Calls of one iteration stay together, with what they alone read: two towers that a `repeat` builds.
// CHECK: ein.model @turns
// CHECK-NEXT: path "b.0" iteration 0
// CHECK-NEXT: path "a.0" iteration 0
// CHECK-NEXT: ein.map tanh
// CHECK-NEXT: path "b.1" iteration 1
// CHECK-NEXT: path "a.1" iteration 1
// CHECK-NEXT: path "y"
ein.model @turns(%x: !t) -> !t attributes {arg_batch = array<i64: -1>, arg_names = ["x"], result_batch = array<i64: -1>, result_names = ["y"]} {
  %a0 = ein.call @f(%x) path "a.0" iteration 0 : (!t) -> !t
  %b0 = ein.call @f(%x) path "b.0" iteration 0 : (!t) -> !t
  %t = ein.map tanh(%b0) over [2] maps [#id, #id] : (!t) -> !t
  %a1 = ein.call @f(%a0) path "a.1" iteration 1 : (!t) -> !t
  %b1 = ein.call @f(%t) path "b.1" iteration 1 : (!t) -> !t
  %y = ein.call @mix(%a1, %b1) path "y" : (!t, !t) -> !t
  ein.return %y : !t
}
