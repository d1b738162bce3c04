// New values of states are written into their memory: a row where one position changes, else all of it.
// RUN: plc-opt %s --ein-update-states | FileCheck %s
// RUN: plc-opt %s --ein-update-states --remarks-filter='.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: UpdatedInPlace {{.*}}"state 'row.k' is written in place, at its positions alone"
// REMARK-DAG: UpdatedInPlace {{.*}}"state 'both.k' is written in place, at its positions alone"
// REMARK-DAG: UpdatedInPlace {{.*}}"state 'narrow.k' is written in place, at its positions alone"
// REMARK-DAG: CopiedToState {{.*}}"state 'late.k' is replaced by a copy of its new value"
// REMARK-DAG: CopiedToState {{.*}}"state 'sum.k' is replaced by a copy of its new value"
// REMARK-DAG: CopiedToState {{.*}}"state 'two.k' is replaced by a copy of its new value"

ein.state @row.k init 0.0
ein.state @both.k init 0.0
ein.state @narrow.k init 0.0
ein.state @late.k init 0.0
ein.state @sum.k init 0.0
ein.state @two.k init 0.0
ein.state @at.c init 1.0
ein.state @at.k init 0.0

// What reads the new value reads the state.
// CHECK-LABEL: ein.func @row(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[P:.*]]: tensor<2xi32>, %[[K:.*]]: tensor<2x8x3xf32>)
// CHECK-NEXT: %[[N:.*]] = ein.put "ab,i=a->aib" %[[X]], %[[P]] into %[[K]]
// CHECK-NEXT: %[[Y:.*]] = ein.reduce max "abc->ac" %[[N]]
// CHECK-NEXT: ein.return %[[Y]], %[[N]]
ein.func @row(%x: tensor<2x3xf32>, %p: tensor<2xi32>, %k: tensor<2x8x3xf32>) -> (tensor<2x3xf32>, tensor<2x8x3xf32>) {
  %t = ein.iota : tensor<8xi32>
  %m = ein.map eq "b,a->ab" %t, %p : (tensor<8xi32>, tensor<2xi32>) -> tensor<2x8xi1>
  %n = ein.map select "ab,ac,abc->abc" %m, %x, %k : (tensor<2x8xi1>, tensor<2x3xf32>, tensor<2x8x3xf32>) -> tensor<2x8x3xf32>
  %y = ein.reduce max "abc->ac" %n : (tensor<2x8x3xf32>) -> tensor<2x3xf32>
  ein.return %y, %n : tensor<2x3xf32>, tensor<2x8x3xf32>
}

// What else reads the old value comes before, wherever it stands; a row of fewer axes is copied to all of them.
// CHECK-LABEL: ein.func @both(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>, %[[P:.*]]: tensor<i32>, %[[K:.*]]: tensor<2x8x3xf32>)
// CHECK-DAG: %[[O:.*]] = ein.reduce max "abc->ac" %[[K]]
// CHECK-DAG: %[[R:.*]] = ein.map id "a->ab" %[[X]]
// CHECK: %[[N:.*]] = ein.put "ab,i=->aib" %[[R]], %[[P]] after %[[O]] : tensor<2x3xf32> into %[[K]]
// CHECK: ein.return %[[O]], %[[N]]
ein.func @both(%x: tensor<2xf32>, %p: tensor<i32>, %k: tensor<2x8x3xf32>) -> (tensor<2x3xf32>, tensor<2x8x3xf32>) {
  %t = ein.iota : tensor<8xi32>
  %m = ein.map eq ",a->a" %p, %t : (tensor<i32>, tensor<8xi32>) -> tensor<8xi1>
  %n = ein.map select "b,a,abc->abc" %m, %x, %k : (tensor<8xi1>, tensor<2xf32>, tensor<2x8x3xf32>) -> tensor<2x8x3xf32>
  %y = ein.reduce max "abc->ac" %k : (tensor<2x8x3xf32>) -> tensor<2x3xf32>
  ein.return %y, %n : tensor<2x3xf32>, tensor<2x8x3xf32>
}

// A narrow state: the row is rounded, and nothing widens the rest; what is read before it is rounded is made apart.
// CHECK-LABEL: ein.func @narrow(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>, %[[P:.*]]: tensor<2xi32>, %[[K:.*]]: tensor<2x8xbf16>)
// CHECK-DAG: %[[W:.*]] = ein.cast %[[K]] : (tensor<2x8xbf16>) -> tensor<2x8xf32>
// CHECK-DAG: %[[S:.*]] = ein.map select "ab,a,ab->ab" %{{.*}}, %[[X]], %[[W]] : {{.*}} -> tensor<2x8xf32>
// CHECK-DAG: %[[R:.*]] = ein.cast %[[X]] : (tensor<2xf32>) -> tensor<2xbf16>
// CHECK: %[[N:.*]] = ein.put "a,i=a->ai" %[[R]], %[[P]] after %[[W]] : tensor<2x8xf32> into %[[K]]
// CHECK: ein.return %[[S]], %[[N]]
ein.func @narrow(%x: tensor<2xf32>, %p: tensor<2xi32>, %k: tensor<2x8xbf16>) -> (tensor<2x8xf32>, tensor<2x8xbf16>) {
  %t = ein.iota : tensor<8xi32>
  %m = ein.map eq "b,a->ab" %t, %p : (tensor<8xi32>, tensor<2xi32>) -> tensor<2x8xi1>
  %w = ein.cast %k : (tensor<2x8xbf16>) -> tensor<2x8xf32>
  %n = ein.map select "ab,a,ab->ab" %m, %x, %w : (tensor<2x8xi1>, tensor<2xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %r = ein.cast %n : (tensor<2x8xf32>) -> tensor<2x8xbf16>
  ein.return %n, %r : tensor<2x8xf32>, tensor<2x8xbf16>
}

// Here the old value is read behind the new one.
// CHECK-LABEL: ein.func @late(
// CHECK: %[[S:.*]] = ein.map select
// CHECK: %[[D:.*]] = ein.map sub "ab,ab->ab" %[[S]],
// CHECK: %[[N:.*]] = ein.put "ab->ab" %[[S]] after %[[D]] : tensor<2x8xf32> into
// CHECK: ein.return %[[D]], %[[N]]
ein.func @late(%x: tensor<2xf32>, %p: tensor<2xi32>, %k: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %t = ein.iota : tensor<8xi32>
  %m = ein.map eq "b,a->ab" %t, %p : (tensor<8xi32>, tensor<2xi32>) -> tensor<2x8xi1>
  %n = ein.map select "ab,a,ab->ab" %m, %x, %k : (tensor<2x8xi1>, tensor<2xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = ein.map sub "ab,ab->ab" %n, %k : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  ein.return %y, %n : tensor<2x8xf32>, tensor<2x8xf32>
}

// Another form; the body returns the old value, too.
// CHECK-LABEL: ein.func @sum(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>, %[[K:.*]]: tensor<2xf32>)
// CHECK-DAG: %[[O:.*]] = ein.map id "a->a" %[[K]] :
// CHECK-DAG: %[[S:.*]] = ein.map add "a,a->a" %[[X]], %[[K]]
// CHECK: %[[N:.*]] = ein.put "a->a" %[[S]] after %[[O]] : tensor<2xf32> into %[[K]]
// CHECK: ein.return %[[O]], %[[N]]
ein.func @sum(%x: tensor<2xf32>, %k: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %n = ein.map add "a,a->a" %x, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  ein.return %k, %n : tensor<2xf32>, tensor<2xf32>
}

// The position is another state's old value, which is copied, so that no update waits for another one.
// CHECK-LABEL: ein.func @at(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>, %[[C:.*]]: tensor<2xi32>, %[[K:.*]]: tensor<2x8xf32>)
// CHECK-DAG: %[[P:.*]] = ein.map id "a->a" %[[C]]
// CHECK-DAG: %[[A:.*]] = ein.map add "a,a->a" %[[C]], %[[C]]
// CHECK-DAG: ein.put "a->a" %[[A]] after %[[P]] : tensor<2xi32> into %[[C]]
// CHECK-DAG: ein.put "a,i=a->ai" %[[X]], %[[P]] into %[[K]]
// CHECK-NOT: ein.map eq
ein.func @at(%x: tensor<2xf32>, %c: tensor<2xi32>, %k: tensor<2x8xf32>) -> (tensor<2xi32>, tensor<2x8xf32>) {
  %t = ein.iota : tensor<8xi32>
  %m = ein.map eq "b,a->ab" %t, %c : (tensor<8xi32>, tensor<2xi32>) -> tensor<2x8xi1>
  %n = ein.map select "ab,a,ab->ab" %m, %x, %k : (tensor<2x8xi1>, tensor<2xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %d = ein.map add "a,a->a" %c, %c : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  ein.return %d, %n : tensor<2xi32>, tensor<2x8xf32>
}

// A state that two calls read, and one that the body of its new value does not see: a body of its own, behind both.
// CHECK-LABEL: ein.func @"m.state(two.k)"(
// CHECK-SAME: %[[A:.*]]: tensor<2xf32>, %[[K:.*]]: tensor<2xf32>, %[[F:.*]]: tensor<2xf32>)
// CHECK: ein.put "a->a" %[[A]] after %[[F]] : tensor<2xf32> into %[[K]]
ein.func @two(%x: tensor<2xf32>, %k: tensor<2xf32>) -> tensor<2xf32> {
  %n = ein.map mul "a,a->a" %x, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  ein.return %n : tensor<2xf32>
}

// CHECK-LABEL: ein.model @m
// CHECK: %[[T0:.*]] = ein.call @two
// CHECK: %[[T1:.*]] = ein.call @two
// CHECK: ein.call @"m.state(two.k)"(%[[T1]], %{{.*}}, %[[T0]]) path "m.state(two.k)"
ein.model @m(%x: tensor<2x3xf32>, %p: tensor<2xi32>, %s: tensor<2xf32>, %q: tensor<i32>, %k0: tensor<2x8x3xf32>, %k1: tensor<2x8x3xf32>, %k2: tensor<2x8xf32>, %k3: tensor<2xf32>, %k4: tensor<2xf32>, %c5: tensor<2xi32>, %k5: tensor<2x8xf32>, %k6: tensor<2x8xbf16>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x8x3xf32>, tensor<2x8x3xf32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xbf16>) attributes {
    arg_names = ["x", "p", "s", "q", #ein.state<"row.k">, #ein.state<"both.k">, #ein.state<"late.k">, #ein.state<"sum.k">, #ein.state<"two.k">, #ein.state<"at.c">, #ein.state<"at.k">, #ein.state<"narrow.k">],
    result_names = ["a", "b", "c", "d", "e", #ein.state<"row.k">, #ein.state<"both.k">, #ein.state<"late.k">, #ein.state<"sum.k">, #ein.state<"two.k">, #ein.state<"at.c">, #ein.state<"at.k">, "f", #ein.state<"narrow.k">],
    arg_batch = array<i64: -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1>, result_batch = array<i64: -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1>} {
  %a, %n0 = ein.call @row(%x, %p, %k0) path "row" : (tensor<2x3xf32>, tensor<2xi32>, tensor<2x8x3xf32>) -> (tensor<2x3xf32>, tensor<2x8x3xf32>)
  %b, %n1 = ein.call @both(%s, %q, %k1) path "both" : (tensor<2xf32>, tensor<i32>, tensor<2x8x3xf32>) -> (tensor<2x3xf32>, tensor<2x8x3xf32>)
  %c, %n2 = ein.call @late(%s, %p, %k2) path "late" : (tensor<2xf32>, tensor<2xi32>, tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>)
  %d, %n3 = ein.call @sum(%s, %k3) path "sum" : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %e = ein.call @two(%s, %k4) path "two.0" : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %n4 = ein.call @two(%e, %k4) path "two.1" : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %n5, %n6 = ein.call @at(%s, %c5, %k5) path "at" : (tensor<2xf32>, tensor<2xi32>, tensor<2x8xf32>) -> (tensor<2xi32>, tensor<2x8xf32>)
  %f, %n7 = ein.call @narrow(%s, %p, %k6) path "narrow" : (tensor<2xf32>, tensor<2xi32>, tensor<2x8xbf16>) -> (tensor<2x8xf32>, tensor<2x8xbf16>)
  ein.return %a, %b, %c, %d, %e, %n0, %n1, %n2, %n3, %n4, %n5, %n6, %f, %n7 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x8x3xf32>, tensor<2x8x3xf32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xbf16>
}
