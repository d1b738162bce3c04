// A parameter has a value before the step and a new one after it: runs need the first, the end needs the second.
// RUN: plc-opt %s --plan-verify -o /dev/null
// RUN: sed -e '/EARLIER/d' -e 's/.*LATER//' %s | not plc-opt --plan-verify 2>&1 | FileCheck %s
// CHECK: error: 'plan.run' op reads parameter 'w', whose place has the new value by now
// While the new value is on its way it may be there in part.
// RUN: sed -e '/EARLIER/d' -e 's/.*MEANWHILE//' %s | not plc-opt --plan-verify 2>&1 | FileCheck %s --check-prefix=POSTED
// POSTED: error: 'plan.run' op reads bytes 0 to 64 while micro-batch -1 of 'c0' is on its way in

!t = tensor<16xf32>
#id = affine_map<(i) -> (i)>
plan.kernel @grad(%x: !t, %acc: !t) -> !t
    attributes {kind = #plan<kind elementwise>, num_accumulators = 1 : i64, ns = 10 : i64} {
  plan.yield %acc : !t
}
plan.kernel @mul(%x: !t, %w: !t) -> !t attributes {kind = #plan<kind elementwise>, ns = 10 : i64} {
  %y = ein.map mul(%x, %w) over [16] maps [#id, #id, #id] : (!t, !t) -> !t
  plan.yield %y : !t
}
ein.param @w : !t init constant(0.0, 0.0)
plan.program @p attributes {arg_names = ["x"], arg_types = [!t], arg_batch = array<i64: 0>, result_names = ["y"],
    result_types = [!t], result_batch = array<i64: 0>, batch = 16 : i64, micro_batches = 1 : i64, moments = 0 : i64} {
  plan.stage @s0 rank 0 {
    %x = plan.input "x" : !t
    %w = plan.param @w owned : !t
    %s = plan.site @w 0 : !t
    plan.task W {
      %0 = plan.call @grad(%x, %s) path "a" : (!t, !t) -> !t
      plan.yield
    }
    plan.stash @r0, %w : !t
    plan.yield
  }
  plan.stage @s1 rank 1 {
    %x = plan.input "x" : !t
    %w = plan.param @w : !t
    %new = plan.pop @r0 into %w : !t : !t
    %y = plan.task F : !t {
      %0 = plan.call @mul(%x, %w) path "b" : (!t, !t) -> !t
      plan.yield %0 : !t
    }
    plan.output "y", %y : !t
    plan.yield
  }
  plan.route @r0 from @s0 to @s1 per step carries "w" : !t
  plan.channel @c0 carries @r0 from 0 to 1 slots 1 tag 0
  plan.rank 0 {
    plan.layout persistent 192 arena 192 bound 192 {
      plan.buffer parameter "w" at 0 bytes 64 owned
      plan.buffer gradient "w" site 0 at 64 bytes 64
      plan.buffer input "x" at 128 bytes 64
    }
    plan.run @s0 W mb 0 at [128]
    plan.step
    plan.send @c0 mb -1 at 0
    plan.wait_send @c0 mb -1
  }
  plan.rank 1 {
    plan.layout persistent 192 arena 192 bound 192 {
      plan.buffer parameter "w" at 0 bytes 64
      plan.buffer input "x" at 64 bytes 64
      plan.buffer output "y" at 128 bytes 64
    }
    plan.run @s1 F mb 0 at [64, 128] // EARLIER
    plan.post_recv @c0 mb -1 at 0
    // MEANWHILE plan.run @s1 F mb 0 at [64, 128]
    plan.step
    plan.wait_recv @c0 mb -1
    // LATER plan.run @s1 F mb 0 at [64, 128]
  }
}
