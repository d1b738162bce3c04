// The numerics program is that of the whole batch, and its key that of any cut; then types become a micro-batch's.
// RUN: plc-opt %s --ein-cut-batch | FileCheck %s
// RUN: sed 's/micro_batches = 4/micro_batches = 3/' %s | plc-opt --ein-cut-batch | FileCheck %s --check-prefix=RAGGED
// RUN: plc-opt %s --ein-cut-batch > %t.four && sed 's/micro_batches = 4/micro_batches = 3/' %s | plc-opt --ein-cut-batch > %t.three
// RUN: grep -o 'numerics_key = "[0-9a-f]*"' %t.four > %t.key && grep -o 'numerics_key = "[0-9a-f]*"' %t.three | diff %t.key -
// Of a sum that depends on the cut, and where groups have unequally many samples, the key has the number.
// RUN: sed 's/ chain into/ into/' %s | plc-opt --ein-cut-batch --remarks-filter=ein-cut-batch 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: sed 's/ chain into/ into/' %s | plc-opt --ein-cut-batch | grep -o 'numerics_key = "[0-9a-f]*"' > %t.four
// RUN: sed 's/ chain into/ into/; s/micro_batches = 4/micro_batches = 2/' %s | plc-opt --ein-cut-batch | grep -o 'numerics_key = "[0-9a-f]*"' > %t.two
// RUN: not diff %t.four %t.two
// RUN: sed 's/micro_batches = 4/accumulation_groups = 2, micro_batches = 6/' %s | plc-opt --ein-cut-batch --remarks-filter=ein-cut-batch 2>&1 | FileCheck %s --check-prefix=LANES
// Groups of two samples: no micro-batch may have three.
// RUN: sed 's/ chain into/ anew 2 into/' %s | plc-opt --ein-cut-batch --remarks-filter=ein-cut-batch 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sed 's/ chain into/ anew 2 into/; s/micro_batches = 4/micro_batches = 8/' %s | plc-opt --ein-cut-batch --remarks-filter=ein-cut-batch 2>&1 | FileCheck %s --check-prefix=BLOCKS

// CHECK: module attributes {ein.numerics_key = "{{[0-9a-f]+}}"}
// CHECK: ein.func @line.W(%{{.*}}: tensor<2x16x4xf32>, %{{.*}}: tensor<2x16x4xf32>, %{{.*}}: tensor<4x4xf32>)
// CHECK: ein.contract "cda,cdb->ab" {{.*}} order [2, 3] chain into
// CHECK: ein.model @m(%{{.*}}: tensor<2x16x4xf32>) -> tensor<2xf32> attributes {{.*}}micro_batches = 4{{.*}}result_batch = array<i64: -2>
// RAGGED: ein.contract {{.*}} (tensor<3x16x4xf32, #ein.batch<0>>, tensor<3x16x4xf32, #ein.batch<0>>) -> tensor<4x4xf32>
// RAGGED: ein.model {{.*}}ragged = 3
// BLOCKS: remark: {{.*}}the numerics key has the number of micro-batches: what follows from this sum over the batch is added for each
// LANES: remark: {{.*}}the numerics key has the number of micro-batches: accumulation groups have unequally many samples
// FREE-NOT: remark
ein.param @w : tensor<4x4xf32> init normal(1.0, 0.0)
ein.func @line.F(%x: tensor<8x16x4xf32, #ein.batch<0>>, %w: tensor<4x4xf32>) -> tensor<8xf32, #ein.batch<0>> attributes {num_params = 1, role = "F"} {
  %0 = ein.contract "abd,dc->abc" %x, %w order [3] : (tensor<8x16x4xf32, #ein.batch<0>>, tensor<4x4xf32>) -> tensor<8x16x4xf32, #ein.batch<0>>
  %1 = ein.reduce sum "abc->a" %0 order lanes : (tensor<8x16x4xf32, #ein.batch<0>>) -> tensor<8xf32, #ein.batch<0>>
  ein.return %1 : tensor<8xf32, #ein.batch<0>>
}
ein.func @line.W(%x: tensor<8x16x4xf32, #ein.batch<0>>, %g: tensor<8x16x4xf32, #ein.batch<0>>, %acc: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {num_accumulators = 1, role = "W"} {
  %0 = ein.contract "cda,cdb->ab" %x, %g order [2, 3] chain into %acc : tensor<4x4xf32> : (tensor<8x16x4xf32, #ein.batch<0>>, tensor<8x16x4xf32, #ein.batch<0>>) -> tensor<4x4xf32>
  ein.return %0 : tensor<4x4xf32>
}
ein.model @m(%x: tensor<8x16x4xf32, #ein.batch<0>>) -> tensor<8xf32, #ein.batch<0>> attributes {
    arg_names = ["x"], result_names = ["loss"], arg_batch = array<i64: 0>, result_batch = array<i64: -2>, batch = 8, micro_batches = 4} {
  %0 = ein.call @line.F(%x) params [@w] path "line" : (tensor<8x16x4xf32, #ein.batch<0>>) -> tensor<8xf32, #ein.batch<0>>
  ein.call @line.W(%x, %x) accumulates [@w] path "line" : (tensor<8x16x4xf32, #ein.batch<0>>, tensor<8x16x4xf32, #ein.batch<0>>) -> ()
  ein.return %0 : tensor<8xf32, #ein.batch<0>>
}
