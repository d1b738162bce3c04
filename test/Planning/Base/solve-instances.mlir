// Problems without a model: answers, known optima, and answers that are checked.
// RUN: plc-opt %s --plan-solve-instances | FileCheck %s
// RUN: not plc-opt %inputs/chain.mlir --plan-solve-instances 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: module has no problem: no 'plan.pack_instance', 'plan.remat_instance' or 'plan.schedule_instance'
// What is solved is accepted when it is read again.
// RUN: plc-opt %s --plan-solve-instances | plc-opt --plan-solve-instances | FileCheck %s
// An answer at the bound is exact without a search, which would not find this one of 2,100 blocks.
// RUN: %python %inputs/perfect_packing.py 2100 | plc-opt --plan-solve-instances | FileCheck %s --check-prefix=PERFECT
// PERFECT: plan.pack_instance @packing alignment 1 packed 1048576 bound 1048576 exact {

// The third block takes the bytes of the first, which is dead.
// CHECK: plan.pack_instance @reuse alignment 64 packed 192 bound 192 exact {
// CHECK-NEXT: plan.block 100 from 0 to 2 at 0
// CHECK-NEXT: plan.block 64 from 2 to 4 at 0
// CHECK-NEXT: plan.block 64 from 1 to 3 at 128
plan.pack_instance @reuse alignment 64 {
  plan.block 100 from 0 to 2
  plan.block 64 from 2 to 4
  plan.block 64 from 1 to 3
}

// F = 1, B = 2, S = 2, M = 3: 3 M + 3 (S - 1) = 12 for both, and the bound tells that no order is faster.
// CHECK: plan.schedule_instance @f1b1 micro_batches 3 schedule "1f1b" makespan 12 bound 12 {
// CHECK: plan.order ["0F0", "0F1", "0B0", "0F2", "0B1", "0B2"]
// CHECK-NEXT: plan.order ["1F0", "1B0", "1F1", "1B1", "1F2", "1B2"]
plan.schedule_instance @f1b1 micro_batches 3 schedule "1f1b" {
  plan.times rank 0 F 1 B 2
  plan.times rank 1 F 1 B 2
  plan.dependence 0 F to 1 F ns 0
  plan.dependence 1 F to 1 B ns 0
  plan.dependence 1 B to 0 B ns 0
}
// CHECK: plan.schedule_instance @gpipe micro_batches 3 schedule "gpipe" makespan 12 bound 12 {
// CHECK: plan.order ["0F0", "0F1", "0F2", "0B0", "0B1", "0B2"]
plan.schedule_instance @gpipe micro_batches 3 schedule "gpipe" {
  plan.times rank 0 F 1 B 2
  plan.times rank 1 F 1 B 2
  plan.dependence 0 F to 1 F ns 0
  plan.dependence 1 F to 1 B ns 0
  plan.dependence 1 B to 0 B ns 0
}

// B apart from W: the stage before waits less than for both, so a unit is won.
// CHECK: plan.schedule_instance @split micro_batches 3 schedule "1f1b" makespan 11
plan.schedule_instance @split micro_batches 3 schedule "1f1b" {
  plan.times rank 0 F 1 B 1 W 1
  plan.times rank 1 F 1 B 1 W 1
  plan.dependence 0 F to 1 F ns 0
  plan.dependence 1 F to 1 B ns 0
  plan.dependence 1 B to 0 B ns 0
}

// Four layers of one call each. Layers 0 and 2 are checkpoints: what crosses into 2 is kept (value 2), and backward
// starts from it and from what is given. Value 4 is an output, which stays in any case and is not counted. Of values 1 to
// 3, which backward reads, 32 bytes cannot be kept: the calls 0 and 1 would be the cheapest to compute again. At most two
// of the values live at once, because value 3 is free before value 1 is computed again.
// CHECK: plan.remat_instance @uniform policy "uniform" interval 2 limit 32 kept [2, 4] cloned [0, 2] bytes 16 ns 40 bound 30
plan.remat_instance @uniform policy "uniform" interval 2 limit 32 {
  plan.value 64
  plan.value 16
  plan.value 16
  plan.value 16
  plan.value 4 pinned
  plan.compute layer 0 ns 10 reads [0] makes [1]
  plan.compute layer 1 ns 20 reads [1] makes [2]
  plan.compute layer 2 ns 30 reads [2] makes [3]
  plan.compute layer 3 ns 40 reads [3] makes [4]
  plan.backward B reads [3, 4]
  plan.backward B reads [2]
  plan.backward W reads [2, 3]
  plan.backward B reads [1]
}

// From layer 1 on; layer 2 is of a kind that is computed once, so what it makes is kept.
// CHECK: plan.remat_instance @selective policy "selective" layers [1] kept [1, 2, 3] cloned [3] bytes 48 ns 40 bound 10
plan.remat_instance @selective policy "selective" layers [1] {
  plan.value 64
  plan.value 16
  plan.value 16
  plan.value 16
  plan.value 16
  plan.compute layer 0 ns 10 reads [0] makes [1]
  plan.compute layer 1 ns 20 reads [1] makes [2]
  plan.compute layer 2 once ns 1 reads [2] makes [3]
  plan.compute layer 3 ns 40 reads [3] makes [4]
  plan.backward B reads [1, 2, 3, 4]
}

// Half of the 96 bytes that all layers together keep: each layer's input stays (0 is given), 32 of them; of the insides
// (32 each, values 1 and 3) no more fit. Of 70 in 100 the deeper one does.
// CHECK: plan.remat_instance @half policy "dynamic" fraction 5.000000e-01 kept [2] cloned [0, 2] bytes 32 ns 0 bound 0
plan.remat_instance @half policy "dynamic" fraction 0.5 {
  plan.value 32
  plan.value 32
  plan.value 32
  plan.value 32
  plan.compute layer 0 reads [0] makes [1]
  plan.compute layer 0 reads [1] makes [2]
  plan.compute layer 1 reads [2] makes [3]
  plan.backward B reads [1, 2, 3]
}
// CHECK: plan.remat_instance @more policy "dynamic" fraction 0.69999999999999996 kept [2, 3] cloned [0] bytes 64 ns 0 bound 0
plan.remat_instance @more policy "dynamic" fraction 0.7 {
  plan.value 32
  plan.value 32
  plan.value 32
  plan.value 32
  plan.compute layer 0 reads [0] makes [1]
  plan.compute layer 0 reads [1] makes [2]
  plan.compute layer 1 reads [2] makes [3]
  plan.backward B reads [1, 2, 3]
}

// Calls are counted, at least two apart. An answer that keeps more than it must is one, and is not replaced.
// CHECK: plan.remat_instance @calls policy "uniform" interval 1 min_interval 2 equations kept [1] cloned [1] bytes 8 ns 0 bound 0
plan.remat_instance @calls policy "uniform" interval 1 min_interval 2 equations kept [1] cloned [1] bytes 8 ns 0 bound 0 {
  plan.value 8
  plan.value 8
  plan.value 8
  plan.compute reads [0] makes [1]
  plan.compute reads [1] makes [2]
  plan.backward B reads [1, 2]
}

// An order from elsewhere is checked, not replaced.
// CHECK: plan.schedule_instance @given micro_batches 1 makespan 7 bound 7
plan.schedule_instance @given micro_batches 1 makespan 7 bound 7 {
  plan.times rank 0 F 2
  plan.times rank 1 F 2
  plan.dependence 0 F to 1 F ns 3
  plan.order ["0F0"]
  plan.order ["1F0"]
}

// Three values are made of one another, and B reads them in reverse: 24 bytes. With 8 bytes less the first does not fit
// beside the others while the third is made, dear as it is; so it is made again just before it is read.
// CHECK: plan.remat_instance @budget policy "budget" limit 20 persistent 4 in_flight 1 cloned [0] before [5] bytes 20 ns 9 bound 9 {
plan.remat_instance @budget policy "budget" limit 20 persistent 4 in_flight 1 cloned [0] before [5] bytes 20 ns 9 bound 9 {
  plan.value 8
  plan.value 8
  plan.value 8
  plan.compute ns 9 reads [] makes [0]
  plan.compute ns 3 reads [0] makes [1]
  plan.compute ns 5 reads [1] makes [2]
  plan.backward B ns 1 reads [2]
  plan.backward B ns 1 reads [1]
  plan.backward B ns 1 reads [0]
}

// A result in the place of its operand, scratch, a value that backward makes, and a call that may not run again.
// CHECK: plan.remat_instance @in_place policy "budget" limit 20 persistent 0 in_flight 1 cloned [0] before [3] bytes 20 ns 9 bound 9 {
plan.remat_instance @in_place policy "budget" limit 20 persistent 0 in_flight 1 cloned [0] before [3] bytes 20 ns 9 bound 9 {
  plan.value 8
  plan.value 8
  plan.value 8
  plan.compute ns 9 reads [] makes [0]
  plan.compute once ns 3 scratch 4 reads [0] makes [1]
  plan.backward B ns 1 scratch 12 reads [1] makes [2] in_place [1, 2]
  plan.backward W ns 1 reads [0, 2]
}

// What waits for W is held by the micro-batches in flight only where others run between B and W: 2 of 10 bytes, or of 30.
// CHECK: plan.remat_instance @joined_w policy "budget" limit 50 persistent 0 in_flight 3 cloned [] before [] bytes 50 ns 0 bound 0 {
plan.remat_instance @joined_w policy "budget" limit 50 persistent 0 in_flight 3 cloned [] before [] bytes 50 ns 0 bound 0 {
  plan.value 10
  plan.value 20
  plan.compute ns 9 reads [] makes [0]
  plan.backward B ns 1 reads [0] makes [1]
  plan.backward W ns 1 reads [0, 1]
}
// CHECK: plan.remat_instance @split_w policy "budget" limit 80 persistent 0 in_flight 3 splits cloned [0] before [2] bytes 70 ns 9 bound 3 {
plan.remat_instance @split_w policy "budget" limit 80 persistent 0 in_flight 3 splits cloned [0] before [2] bytes 70 ns 9 bound 3 {
  plan.value 10
  plan.value 20
  plan.compute ns 9 reads [] makes [0]
  plan.backward B ns 1 reads [0] makes [1]
  plan.backward W ns 1 reads [0, 1]
}

// The last micro-batch has half of the samples, and takes half of the time: 2 (4 + 6) + 2 + 3.
// CHECK: plan.schedule_instance @samples micro_batches 3 samples [2, 2, 1] schedule "gpipe" makespan 25 bound 25 {
plan.schedule_instance @samples micro_batches 3 samples [2, 2, 1] schedule "gpipe" {
  plan.times rank 0 F 4 B 6
  plan.dependence 0 F to 0 B ns 0
}

// The segment of both layers is cut by a stage: what stage 0 makes stage 1 has received, so call 0 is not computed again.
// CHECK: plan.remat_instance @stages policy "uniform" interval 2 kept [] cloned [1] bytes 0 ns 20 bound 20 {
plan.remat_instance @stages policy "uniform" interval 2 {
  plan.value 64
  plan.value 16
  plan.value 16
  plan.compute layer 0 ns 10 reads [0] makes [1]
  plan.compute stage 1 layer 1 ns 20 reads [1] makes [2]
  plan.backward B stage 1 reads [2]
}

// As @budget, but nothing runs again before the last call: the first value is made again there, not before.
// CHECK: plan.remat_instance @again_from policy "budget" limit 20 persistent 4 in_flight 1 again_from 5 cloned [0] before [5] bytes 20 ns 9 bound 9 {
// CHECK: plan.compute named "first" ns 9 reads [] makes [0]
plan.remat_instance @again_from policy "budget" limit 20 persistent 4 in_flight 1 again_from 5 cloned [0] before [5] bytes 20 ns 9 bound 9 {
  plan.value 8
  plan.value 8
  plan.value 8
  plan.compute named "first" ns 9 reads [] makes [0]
  plan.compute ns 3 reads [0] makes [1]
  plan.compute ns 5 reads [1] makes [2]
  plan.backward B named "last" ns 1 reads [2]
  plan.backward B ns 1 reads [1]
  plan.backward B ns 1 reads [0]
}
