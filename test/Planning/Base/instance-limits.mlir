// Numbers that no plan has, in problems that are written by hand: each is refused, none overflows, aborts or never ends.
// RUN: plc-opt %s --plan-solve-instances --split-input-file --verify-diagnostics

// expected-error@+1 {{rounded sizes add up to more than 2^62}}
plan.pack_instance @large alignment 64 {
  plan.block 4611686018427387904 from 0 to 1
}
// -----
// expected-error@+1 {{call 0 is of layer 4000000000, at most 65535}}
plan.remat_instance @layer policy "uniform" interval 1 {
  plan.value 8
  plan.value 8
  plan.compute layer 4000000000 reads [0] makes [1]
  plan.backward B reads [1]
}
// -----
// expected-error@+1 {{value 1 has -8 bytes}}
plan.remat_instance @value policy "none" {
  plan.value 8
  plan.value -8
}
// -----
// expected-error@+1 {{call 0 takes -1 ns}}
plan.remat_instance @call policy "none" {
  plan.value 8
  plan.compute ns -1 reads [] makes [0]
}
// -----
// expected-error@+1 {{bytes of values add up to more than 2^62}}
plan.remat_instance @values policy "none" {
  plan.value 9223372036854775807
  plan.value 9223372036854775807
}
// -----
// expected-error@+1 {{times of calls add up to more than 2^62}}
plan.remat_instance @calls policy "none" {
  plan.value 8
  plan.compute ns 9223372036854775807 reads [] makes [0]
}
// -----
// expected-error@+1 {{persistent bytes, scratch and values of all micro-batches in flight add up to more than 2^62}}
plan.remat_instance @static policy "budget" limit 100 persistent 9223372036854775807 in_flight 1 {
  plan.value 14
  plan.compute ns 1 reads [] makes [0]
}
// -----
// expected-error@+1 {{persistent bytes, scratch and values of all micro-batches in flight add up to more than 2^62}}
plan.remat_instance @retained policy "budget" limit 9223372036854775807 persistent 0 in_flight 1 {
  plan.value 9223372036854775807
  plan.value 9223372036854775807
  plan.compute ns 1 reads [] makes [0, 1]
}
// -----
// expected-error@+1 {{persistent bytes, scratch and values of all micro-batches in flight add up to more than 2^62}}
plan.remat_instance @flight policy "budget" limit 100 persistent 0 in_flight 9223372036854775807 {
  plan.value 8
  plan.compute ns 1 reads [] makes [0]
}
// -----
// expected-error@+1 {{times of calls and of all that may run again add up to more than 2^62}}
plan.remat_instance @again policy "budget" limit 100 persistent 0 in_flight 1 {
  plan.value 8
  plan.compute ns 4611686018427387904 reads [] makes [0]
}
// -----
// expected-error@+1 {{no stage is on rank 0 of 2}}
plan.schedule_instance @ranks micro_batches 1 schedule "1f1b" {
  plan.times rank 1 F 1
  plan.times rank 1 F 1
}
// -----
// expected-error@+1 {{4000000000 micro-batches of 2 tasks are more than 16777216 jobs}}
plan.schedule_instance @jobs micro_batches 4000000000 schedule "1f1b" {
  plan.times rank 0 F 1 B 2
}
// -----
// expected-error@+1 {{times of all jobs add up to more than 2^62}}
plan.schedule_instance @sum micro_batches 2 schedule "gpipe" {
  plan.times rank 0 F 9223372036854775807
}
// -----
// expected-error@+1 {{a dependence takes -1 ns}}
plan.schedule_instance @way micro_batches 1 schedule "gpipe" {
  plan.times rank 0 F 1
  plan.times rank 1 F 1
  plan.dependence 0 F to 1 F ns -1
}
