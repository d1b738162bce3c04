// RUN: plc-opt %s --plan-solve-instances --split-input-file --verify-diagnostics

// Addresses: what is no problem, and what is no answer.
// expected-error@+1 {{has alignment 0}}
plan.pack_instance @alignment alignment 0 {
  plan.block 1 from 0 to 1
}
// -----
// expected-error@+1 {{block 1 has 0 bytes}}
plan.pack_instance @size alignment 64 {
  plan.block 1 from 0 to 1
  plan.block 0 from 0 to 1
}
// -----
// expected-error@+1 {{block 0 lives from 3 to 3}}
plan.pack_instance @life alignment 64 {
  plan.block 1 from 3 to 3
}
// -----
// expected-error@+1 {{block 0 and block 1 overlap}}
plan.pack_instance @overlap alignment 64 packed 64 bound 128 {
  plan.block 64 from 0 to 2 at 0
  plan.block 64 from 1 to 3 at 0
}
// -----
// expected-error@+1 {{block 0 is at offset 32}}
plan.pack_instance @aligned alignment 64 packed 96 bound 64 {
  plan.block 64 from 0 to 2 at 32
}
// -----
// expected-error@+1 {{ends at 64, not 128}}
plan.pack_instance @end alignment 64 packed 128 bound 64 {
  plan.block 64 from 0 to 2 at 0
}
// -----
// expected-error@+1 {{bound is 128, not 64}}
plan.pack_instance @bound alignment 64 packed 64 bound 128 {
  plan.block 64 from 0 to 2 at 0
}

// -----
// Recomputation.
// expected-error@+1 {{checkpoint policy 'some' is not supported; there are 'none'}}
plan.remat_instance @policy policy "some" {
  plan.value 8
}
// -----
// expected-error@+1 {{interval is 0 but must be positive}}
plan.remat_instance @interval policy "uniform" interval 0 {
  plan.value 8
}
// -----
// expected-error@+1 {{call 0 reads value 1, which is not made before it}}
plan.remat_instance @later policy "none" {
  plan.value 8
  plan.value 8
  plan.compute reads [1] makes [1]
  plan.backward B reads [1]
}
// -----
// expected-error@+1 {{call 1 makes value 1, which has another maker}}
plan.remat_instance @twice policy "none" {
  plan.value 8
  plan.value 8
  plan.compute reads [0] makes [1]
  plan.compute reads [0] makes [1]
  plan.backward B reads [1]
}
// -----
// expected-error@+1 {{backward reads value 2, which nothing makes}}
plan.remat_instance @absent policy "none" {
  plan.value 8
  plan.backward B reads [2]
}
// -----
// expected-error@+1 {{names value 7 of 2}}
plan.remat_instance @beyond policy "none" kept [7] cloned [] bytes 8 ns 0 bound 0 {
  plan.value 8
  plan.value 8
  plan.compute reads [0] makes [1]
  plan.backward B reads [1]
}
// -----
// expected-error@+1 {{backward reads value 1, which is neither kept nor computed again}}
plan.remat_instance @dropped policy "none" kept [] cloned [] bytes 0 ns 0 bound 0 {
  plan.value 8
  plan.value 8
  plan.compute reads [0] makes [1]
  plan.backward B reads [1]
}
// -----
// expected-error@+1 {{call 0 is computed again but has no segment}}
plan.remat_instance @cloned policy "none" kept [] cloned [0] bytes 0 ns 0 bound 0 {
  plan.value 8
  plan.value 8
  plan.compute layer 0 reads [0] makes [1]
  plan.backward B reads [1]
}
// -----
// expected-error@+1 {{the clone of call 1 reads value 1, which is neither kept nor computed again}}
plan.remat_instance @start policy "uniform" interval 1 kept [] cloned [1] bytes 0 ns 0 bound 0 {
  plan.value 8
  plan.value 8
  plan.value 8
  plan.compute layer 0 reads [0] makes [1]
  plan.compute layer 1 reads [1] makes [2]
  plan.backward B reads [2]
}
// -----
// expected-error@+1 {{bytes is 9, not 8}}
plan.remat_instance @bytes policy "none" kept [1] cloned [] bytes 9 ns 0 bound 0 {
  plan.value 8
  plan.value 8
  plan.compute reads [0] makes [1]
  plan.backward B reads [1]
}
// -----
// expected-error@+1 {{ns is 4, not 5}}
plan.remat_instance @ns policy "uniform" interval 1 kept [] cloned [0] bytes 0 ns 4 bound 5 {
  plan.value 8
  plan.value 8
  plan.compute layer 0 ns 5 reads [0] makes [1]
  plan.backward B reads [1]
}
// -----
// expected-error@+1 {{bound is 4, not 5}}
plan.remat_instance @recompute_bound policy "uniform" interval 1 kept [] cloned [0] bytes 0 ns 5 bound 4 {
  plan.value 8
  plan.value 8
  plan.compute layer 0 ns 5 reads [0] makes [1]
  plan.backward B reads [1]
}
// -----
// expected-error@+1 {{no plan fits: the backward pass holds 16 B, limit 15 B: 1 bytes are missing}}
plan.remat_instance @limit policy "uniform" interval 2 limit 15 {
  plan.value 8
  plan.value 8
  plan.value 8
  plan.compute layer 0 ns 5 reads [0] makes [1]
  plan.compute layer 1 ns 5 reads [1] makes [2]
  plan.backward B reads [2]
}
// -----
// expected-error@+1 {{has policy 'budget' but no 'persistent'}}
plan.remat_instance @budget_static policy "budget" limit 15 {
  plan.value 8
}
// -----
// expected-error@+1 {{has policy 'budget' but no 'limit'}}
plan.remat_instance @budget_limit policy "budget" persistent 0 in_flight 1 {
  plan.value 8
}
// -----
// expected-error@+1 {{has 'in_flight', which policy 'none' ignores: it is for 'budget'}}
plan.remat_instance @budget_ignored policy "none" in_flight 1 {
  plan.value 8
}
// -----
// expected-error@+1 {{no plan fits: in this order with these kernels, call 1 needs 16 B, budget 15 B: 1 bytes are missing}}
plan.remat_instance @budget_missing policy "budget" limit 15 persistent 0 in_flight 1 cloned [] before [] bytes 16 ns 0 bound 0 {
  plan.value 8
  plan.value 8
  plan.compute reads [] makes [0]
  plan.compute reads [0] makes [1]
}
// -----
// expected-error@+1 {{has no answer: a budget's is checked, and found by the search for plans}}
plan.remat_instance @budget_open policy "budget" limit 20 persistent 0 in_flight 3 {
  plan.value 8
  plan.compute ns 4 reads [] makes [0]
  plan.backward B reads [0]
}
// -----
// expected-error@+1 {{call 1 stands behind a later task's}}
plan.remat_instance @budget_order policy "budget" limit 15 persistent 0 in_flight 1 {
  plan.backward W reads []
  plan.backward B reads []
}
// -----
// expected-error@+1 {{has an operand in 'in_place' without its result}}
plan.remat_instance @budget_in_place policy "budget" limit 15 persistent 0 in_flight 1 {
  plan.value 8
  plan.compute reads [] makes [0] in_place [0]
}
// -----
// expected-error@+1 {{number of places is 1, not 0}}
plan.remat_instance @budget_places policy "budget" limit 8 persistent 0 in_flight 1 cloned [] before [1] bytes 8 ns 0 bound 0 {
  plan.value 8
  plan.compute reads [] makes [0]
}
// -----
// expected-error@+1 {{a clone of call 0 runs before call 0, which does not stand behind it}}
plan.remat_instance @budget_clone policy "budget" limit 8 persistent 0 in_flight 1 cloned [0] before [0] bytes 8 ns 0 bound 0 {
  plan.value 8
  plan.compute reads [] makes [0]
}
// -----
// expected-error@+1 {{bytes is 9, not 8}}
plan.remat_instance @budget_bytes policy "budget" limit 8 persistent 0 in_flight 1 cloned [] before [] bytes 9 ns 0 bound 0 {
  plan.value 8
  plan.compute reads [] makes [0]
}
// -----
// expected-error@+1 {{ns is 5, not 4}}
plan.remat_instance @budget_ns policy "budget" limit 8 persistent 0 in_flight 1 cloned [0] before [1] bytes 8 ns 5 bound 0 {
  plan.value 8
  plan.compute ns 4 reads [] makes [0]
  plan.backward B reads [0]
}
// -----
// expected-error@+1 {{bound is 1, not 0}}
plan.remat_instance @budget_bound policy "budget" limit 8 persistent 0 in_flight 1 cloned [0] before [1] bytes 8 ns 4 bound 1 {
  plan.value 8
  plan.compute ns 4 reads [] makes [0]
  plan.backward B reads [0]
}
// -----
plan.remat_instance @role policy "none" {
  // expected-error@+1 {{'plan.backward' op has role F but is of B or W}}
  plan.backward F reads []
}

// -----
// Orders.
// expected-error@+1 {{schedule 'zb_h9' is not supported; there are 'gpipe'}}
plan.schedule_instance @name micro_batches 1 schedule "zb_h9" {
  plan.times rank 0 F 1
}
// -----
// expected-error@+1 {{'plan.schedule_instance' op has neither a schedule nor an answer}}
plan.schedule_instance @schedule_c3 micro_batches 1 {
  plan.times rank 0 F 1
}
// -----
// expected-error@+1 {{makespan is 3, not 2}}
plan.schedule_instance @makespan micro_batches 2 schedule "1f1b" makespan 3 bound 2 {
  plan.times rank 0 F 1
  plan.order ["0F0", "0F1"]
}
// -----
// expected-error@+1 {{bound is 1, not 2}}
plan.schedule_instance @bound micro_batches 2 schedule "1f1b" makespan 2 bound 1 {
  plan.times rank 0 F 1
  plan.order ["0F0", "0F1"]
}
// -----
// expected-error@+1 {{stage 0, F of micro-batch 1}}
plan.schedule_instance @missing micro_batches 2 schedule "1f1b" makespan 2 bound 2 {
  plan.times rank 0 F 1
  plan.order ["0F0"]
}

// -----
// The IR alone. C1 and C2 of the instances, C1 of plan.order.
plan.pack_instance @pack_c1 alignment 64 {
  // expected-error@+1 {{'plan.remat_instance' op stands in a 'plan.pack_instance', which holds blocks}}
  plan.remat_instance @inner policy "none" {
    plan.value 8
  }
}
// -----
// expected-error@+1 {{has a part of an answer but not the whole}}
plan.pack_instance @pack_c2 alignment 64 packed 64 bound 64 {
  plan.block 1 from 0 to 1
}
// -----
plan.remat_instance @remat_c1 policy "none" {
  // expected-error@+1 {{'plan.pack_instance' op stands in a 'plan.remat_instance', which holds values, computes and backwards}}
  plan.pack_instance @inner alignment 64 {
    plan.block 1 from 0 to 1
  }
}
// -----
// expected-error@+1 {{has a part of an answer but not the whole}}
plan.remat_instance @remat_c2 policy "none" bytes 0 ns 0 bound 0 {
  plan.value 8
}
// -----
// expected-error@+1 {{has 'interval', which policy 'none' ignores: it is for 'uniform'}}
plan.remat_instance @remat_c3 policy "none" interval 2 {
  plan.value 8
}
// -----
// expected-error@+1 {{has policy 'selective' but no 'layers'}}
plan.remat_instance @remat_c3_absent policy "selective" {
  plan.value 8
}
// -----
plan.schedule_instance @schedule_c1 micro_batches 1 schedule "1f1b" {
  // expected-error@+1 {{'plan.pack_instance' op stands in a 'plan.schedule_instance', which holds times, dependences and orders}}
  plan.pack_instance @inner alignment 64 {
    plan.block 1 from 0 to 1
  }
}
// -----
// expected-error@+1 {{has a part of an answer but not the whole}}
plan.schedule_instance @schedule_c2 micro_batches 1 schedule "1f1b" {
  plan.times rank 0 F 1
  plan.order ["0F0"]
}
// -----
plan.schedule_instance @order_c1 micro_batches 1 schedule "1f1b" makespan 1 bound 1 {
  plan.times rank 0 F 1
  // expected-error@+1 {{has job 'F00' but jobs are written as '1B3': stage, F, B or W, micro-batch}}
  plan.order ["F00"]
}

// -----

// expected-error@+1 {{stage 1, F of micro-batch 0 runs on rank 0 but its stage is on rank 1}}
plan.schedule_instance @elsewhere micro_batches 1 makespan 1 bound 1 {
  plan.times rank 0 F 1
  plan.times rank 1 F 1
  plan.order ["1F0"]
  plan.order ["0F0"]
}
// -----
// expected-error@+1 {{has alignment 0 but needs 1 or more}}
plan.pack_instance @p alignment 0 {
  plan.block 64 from 0 to 1
}
// -----
// expected-error@+1 {{'plan.block' op expects parent op 'plan.pack_instance'}}
plan.block 64 from 0 to 1
// -----
// expected-error@+1 {{tasks of one micro-batch wait for each other: 1.F 0.F}}
plan.schedule_instance @p micro_batches 1 schedule "1f1b" {
  plan.times rank 0 F 1
  plan.times rank 1 F 1
  plan.dependence 0 F to 1 F ns 1
  plan.dependence 1 F to 0 F ns 1
}
// -----
// expected-error@+1 {{a dependence names stage 5's F, which does not exist}}
plan.schedule_instance @p micro_batches 1 schedule "1f1b" {
  plan.times rank 0 F 1
  plan.dependence 0 F to 5 F ns 1
}
// -----
// expected-error@+1 {{'plan.dependence' op expects parent op 'plan.schedule_instance'}}
plan.dependence 0 F to 1 F ns 1
// -----
// expected-error@+1 {{stage 0, F of micro-batch 1 is missing}}
plan.schedule_instance @p micro_batches 2 makespan 1 bound 1 {
  plan.times rank 0 F 1
  plan.order ["0F0"]
}
// -----
// expected-error@+1 {{has 0 micro-batches but needs 1 or more}}
plan.schedule_instance @p micro_batches 0 schedule "1f1b" {
  plan.times rank 0 F 1
}
// -----
// expected-error@+1 {{stage 0 is on rank 4611686018427387904 of at most 1}}
plan.schedule_instance @p micro_batches 1 schedule "1f1b" {
  plan.times rank 4611686018427387904 F 1
}
// -----
// expected-error@+1 {{stage 0 is on rank 1 of at most 1}}
plan.schedule_instance @p micro_batches 1 schedule "1f1b" {
  plan.times rank 1 F 1
}
// -----
// expected-error@+1 {{'plan.times' op expects parent op 'plan.schedule_instance'}}
plan.times rank 0 F 1

// -----
// expected-error@+1 {{is said to be exact, but a packing ends at 64}}
plan.pack_instance @exact alignment 64 packed 128 bound 64 exact {
  plan.block 64 from 0 to 1 at 0
  plan.block 64 from 1 to 2 at 64
}
// -----
// expected-error@+1 {{has a part of an answer but not the whole}}
plan.pack_instance @exact_c2 alignment 64 exact {
  plan.block 64 from 0 to 1
}
// -----
// expected-error@+1 {{has samples of 2 micro-batches of 1}}
plan.schedule_instance @samples micro_batches 1 samples [1, 1] schedule "gpipe" {
  plan.times rank 0 F 1
}
// -----
// expected-error@+1 {{has a micro-batch of 0 samples}}
plan.schedule_instance @sample micro_batches 2 samples [1, 0] schedule "gpipe" {
  plan.times rank 0 F 1
}

// -----
// Recomputation that is named, and from a call on.
// expected-error@+1 {{no plan fits: in this order with these kernels, second needs 16 B, budget 15 B: 1 bytes are missing}}
plan.remat_instance @budget_named policy "budget" limit 15 persistent 0 in_flight 1 cloned [] before [] bytes 16 ns 0 bound 0 {
  plan.value 8
  plan.value 8
  plan.compute named "first" reads [] makes [0]
  plan.compute named "second" reads [0] makes [1]
}
// -----
// expected-error@+1 {{a clone runs before call 1 but the first may before call 2}}
plan.remat_instance @budget_again policy "budget" limit 8 persistent 0 in_flight 1 again_from 2 cloned [0] before [1] bytes 8 ns 4 bound 0 {
  plan.value 8
  plan.compute ns 4 reads [] makes [0]
  plan.backward B reads [0]
  plan.backward B reads [0]
}
// -----
// expected-error@+1 {{has 'again_from', which policy 'none' ignores: it is for 'budget'}}
plan.remat_instance @again_ignored policy "none" again_from 1 {
  plan.value 8
}
