// A gradient site is filled by one call, so that its micro-batches are added in their order: not by two stages.
// RUN: not plc-opt %s --plan-verify 2>&1 | FileCheck %s
// CHECK: error: 'plan.call' op adds to site 0 of 'w', as another call does
// CHECK: note: which adds to it here
// RUN: sed -e '/LATER/d' %s | plc-opt --plan-verify -o /dev/null

!t = tensor<16xf32>
plan.kernel @grad(%x: !t, %acc: !t) -> !t
    attributes {kind = #plan<kind elementwise>, num_accumulators = 1 : i64, ns = 10 : i64} {
  plan.yield %acc : !t
}
ein.param @w : !t init constant(0.0, 0.0)
plan.program @p attributes {arg_names = ["x"], arg_types = [!t], arg_batch = array<i64: 0>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 32 : i64, micro_batches = 2 : i64, moments = 0 : i64} {
  plan.stage @s0 rank 0 {
    %x = plan.input "x" : !t
    %w = plan.param @w owned : !t
    %s = plan.site @w 0 : !t
    plan.task W {
      %0 = plan.call @grad(%x, %s) path "a" : (!t, !t) -> !t
      plan.yield
    }
    plan.yield
  }
  plan.stage @s1 rank 0 { // LATER
    %x = plan.input "x" : !t // LATER
    %s = plan.site @w 0 : !t // LATER
    plan.task W { // LATER
      %0 = plan.call @grad(%x, %s) path "b" : (!t, !t) -> !t // LATER
      plan.yield // LATER
    } // LATER
    plan.yield // LATER
  } // LATER
  plan.rank 0 {
    plan.layout persistent 256 arena 256 bound 256 {
      plan.buffer parameter "w" at 0 bytes 64 owned
      plan.buffer gradient "w" site 0 at 64 bytes 64
      plan.buffer input "x" at 128 bytes 128
    }
    plan.run @s0 W mb 0 at [128]
    plan.run @s0 W mb 1 at [192]
    plan.run @s1 W mb 0 at [128] // LATER
    plan.run @s1 W mb 1 at [192] // LATER
    plan.step
  }
}
