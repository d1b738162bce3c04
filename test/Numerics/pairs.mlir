// Products of two numbers of bf16, or of two of f16, are summed in pairs: found behind views, and only where sums are of f32.
// RUN: plc-opt %s --ein-fix-numerics | FileCheck %s
// RUN: plc-opt %s --ein-fix-numerics | plc-opt | FileCheck %s
// RUN: plc-opt %s --ein-fix-numerics --ein-cut-batch --remarks-filter=ein-cut-batch -o /dev/null 2>&1 | FileCheck %s --check-prefix=FREE --allow-empty
// RUN: sed 's/micro_batches = 2/micro_batches = 256/' %s | plc-opt --ein-fix-numerics --ein-cut-batch --remarks-filter=ein-cut-batch -o /dev/null 2>&1 | FileCheck %s --check-prefix=BOUND
// FREE-NOT: remark
// BOUND: remark: {{.*}}the numerics key has the number of micro-batches

// CHECK-LABEL: ein.func @kinds
// CHECK: ein.contract "ac,cb->ab" %{{.*}}, %{{.*}} order [2] pairs : (tensor<4x8xf32>, tensor<8x6xf32>)
// CHECK: ein.contract "ac,cb->ab" %{{.*}}, %{{.*}} order [2] pairs : (tensor<4x8xf32>, tensor<8x6xf32>)
// CHECK: ein.contract "abd,dc->abc" %{{.*}}, %{{.*}} order [3] pairs :
// CHECK: ein.contract "ac,cb->ab" %{{.*}}, %{{.*}} order [2] : (tensor<4x8xf32>, tensor<8x6xf32>)
// CHECK: ein.contract "ac,cb->ab" %{{.*}}, %{{.*}} order [2] : (tensor<4x8xf32>, tensor<8x6xf32>)
// CHECK: ein.contract "ac,cb->ab" %{{.*}}, %{{.*}} order [2] : (tensor<4x8xf64>, tensor<8x6xf64>)
ein.func @kinds(%b: tensor<4x8xbf16>, %w: tensor<8x6xbf16>, %h: tensor<4x8xf16>, %v: tensor<8x6xf16>, %x: tensor<4x8xf32>)
    -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<2x2x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf64>) {
  %0 = ein.cast %b : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %1 = ein.cast %w : (tensor<8x6xbf16>) -> tensor<8x6xf32>
  %2 = ein.cast %h : (tensor<4x8xf16>) -> tensor<4x8xf32>
  %3 = ein.cast %v : (tensor<8x6xf16>) -> tensor<8x6xf32>
  %4 = ein.cast %b : (tensor<4x8xbf16>) -> tensor<4x8xf64>
  %5 = ein.cast %w : (tensor<8x6xbf16>) -> tensor<8x6xf64>
  %split = ein.split %0 axis 0 : (tensor<4x8xf32>) -> tensor<2x2x8xf32>
  %bf16 = ein.contract "ac,cb->ab" %0, %1 : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %f16 = ein.contract "ac,cb->ab" %2, %3 : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %view = ein.contract "abd,dc->abc" %split, %1 : (tensor<2x2x8xf32>, tensor<8x6xf32>) -> tensor<2x2x6xf32>
  %two = ein.contract "ac,cb->ab" %0, %3 : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %one = ein.contract "ac,cb->ab" %x, %1 : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %wide = ein.contract "ac,cb->ab" %4, %5 : (tensor<4x8xf64>, tensor<8x6xf64>) -> tensor<4x6xf64>
  ein.return %bf16, %f16, %view, %two, %one, %wide : tensor<4x6xf32>, tensor<4x6xf32>, tensor<2x2x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf64>
}

// Sums over the batch: of few numbers one chain; blocks of 32 begin anew at every sample of a multiple of that, else at the least number
// of samples that fill one and divide the batch.
// CHECK-LABEL: ein.func @line.W
// CHECK: ein.contract "dca,dcb->ab" {{.*}} order [3, 2] chain into
// CHECK: ein.contract "dca,dcb->ab" {{.*}} order [3, 2] pairs into
// CHECK: ein.contract "dca,dcb->ab" {{.*}} order [3, 2] anew 2 pairs into
ein.func @line.F(%x: tensor<256xf32, #ein.batch<0>>) -> tensor<256xf32, #ein.batch<0>> attributes {role = "F"} {
  %0 = ein.map neg "a->a" %x : (tensor<256xf32, #ein.batch<0>>) -> tensor<256xf32, #ein.batch<0>>
  ein.return %0 : tensor<256xf32, #ein.batch<0>>
}
ein.func @line.W(%f: tensor<256x8x4xbf16, #ein.batch<0>>, %r: tensor<256x32x4xbf16, #ein.batch<0>>, %o: tensor<256x24x4xbf16, #ein.batch<0>>, %accf: tensor<4x4xf32>, %accr: tensor<4x4xf32>, %acco: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) attributes {num_accumulators = 3, role = "W"} {
  %few = ein.cast %f : (tensor<256x8x4xbf16, #ein.batch<0>>) -> tensor<256x8x4xf32, #ein.batch<0>>
  %round = ein.cast %r : (tensor<256x32x4xbf16, #ein.batch<0>>) -> tensor<256x32x4xf32, #ein.batch<0>>
  %odd = ein.cast %o : (tensor<256x24x4xbf16, #ein.batch<0>>) -> tensor<256x24x4xf32, #ein.batch<0>>
  %0 = ein.contract "dca,dcb->ab" %few, %few into %accf : tensor<4x4xf32> : (tensor<256x8x4xf32, #ein.batch<0>>, tensor<256x8x4xf32, #ein.batch<0>>) -> tensor<4x4xf32>
  %1 = ein.contract "dca,dcb->ab" %round, %round into %accr : tensor<4x4xf32> : (tensor<256x32x4xf32, #ein.batch<0>>, tensor<256x32x4xf32, #ein.batch<0>>) -> tensor<4x4xf32>
  %2 = ein.contract "dca,dcb->ab" %odd, %odd into %acco : tensor<4x4xf32> : (tensor<256x24x4xf32, #ein.batch<0>>, tensor<256x24x4xf32, #ein.batch<0>>) -> tensor<4x4xf32>
  ein.return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
ein.model @m(%x: tensor<256xf32, #ein.batch<0>>, %f: tensor<256x8x4xbf16, #ein.batch<0>>, %r: tensor<256x32x4xbf16, #ein.batch<0>>, %o: tensor<256x24x4xbf16, #ein.batch<0>>) -> tensor<256xf32, #ein.batch<0>> attributes {
    arg_names = ["x", "f", "r", "o"], result_names = ["loss"], arg_batch = array<i64: 0, 0, 0, 0>, result_batch = array<i64: -2>, batch = 256, micro_batches = 2} {
  %0 = ein.call @line.F(%x) params [] path "line" : (tensor<256xf32, #ein.batch<0>>) -> tensor<256xf32, #ein.batch<0>>
  ein.call @line.W(%f, %r, %o) accumulates [@a, @b, @c] path "line" : (tensor<256x8x4xbf16, #ein.batch<0>>, tensor<256x32x4xbf16, #ein.batch<0>>, tensor<256x24x4xbf16, #ein.batch<0>>) -> ()
  ein.return %0 : tensor<256xf32, #ein.batch<0>>
}
ein.param @a : tensor<4x4xf32> init normal(1.0, 0.0)
ein.param @b : tensor<4x4xf32> init normal(1.0, 0.0)
ein.param @c : tensor<4x4xf32> init normal(1.0, 0.0)
