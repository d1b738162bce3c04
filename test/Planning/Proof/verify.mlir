// What the passes make is proven, for each order, rank map and number of stages, and the proof changes nothing; see verify-errors.test for
// what is refused.
// DEFINE: %{cut} =
// DEFINE: %{order} =
// DEFINE: %{slots} =
// DEFINE: %{speed} =
// DEFINE: %{prove} = plc-opt %inputs/chain.mlir --pass-pipeline="builtin.module(plan-partition%{cut},plan-infer-skips,plan-schedule%{order},plan-insert-comm%{slots},plan-addresses)" -o %t.mlir && \
// DEFINE:   plc-opt %t.mlir --plan-verify%{speed} -o %t.proven.mlir && diff %t.mlir %t.proven.mlir && FileCheck %s --input-file=%t.proven.mlir

// RUN: %{prove} --check-prefix=ONE
// ONE: plan.rank 0
// ONE-NOT: plan.rank

// REDEFINE: %{cut} = {stages=3}
// RUN: %{prove} --check-prefix=THREE
// THREE: plan.rank 2 {
// THREE: plan.run @s2 F mb 0
// THREE: plan.run @s2 B mb 0
// THREE: plan.run @s2 F mb 1

// REDEFINE: %{order} = {schedule=gpipe}
// RUN: %{prove} --check-prefix=GPIPE
// GPIPE: plan.rank 2 {
// GPIPE: plan.run @s2 F mb 0
// GPIPE: plan.run @s2 F mb 1
// GPIPE: plan.run @s2 F mb 3
// GPIPE: plan.run @s2 B mb

// Where messages take long, several are posted at once, or one.
// REDEFINE: %{cut} = {stages=3 bytes-per-ns=1}
// REDEFINE: %{order} = {schedule=gpipe bytes-per-ns=1}
// REDEFINE: %{slots} = {bytes-per-ns=1}
// REDEFINE: %{speed} ==bytes-per-ns=1
// RUN: %{prove} --check-prefix=SLOTS
// SLOTS: plan.channel {{.*}} slots {{[2-9]}}
// REDEFINE: %{slots} = {bytes-per-ns=1 max-slots=1}
// RUN: %{prove} --check-prefix=SLOT
// SLOT: plan.channel {{.*}} slots 1
// SLOT-NOT: slots {{[2-9]}}
// SLOT: plan.rank 2 {

// REDEFINE: %{order} = {schedule=gpipe}
// REDEFINE: %{speed} =
// REDEFINE: %{slots} =
// REDEFINE: %{cut} = {stages=3 rank-map=1,0,0}
// RUN: %{prove} --check-prefix=SHARED
// SHARED: plan.rank 0 {
// SHARED: plan.run @s1 F mb 0
// SHARED: plan.run @s2 F mb 0
// SHARED: plan.rank 1 {
// SHARED: plan.run @s0 F mb 0
// SHARED-NOT: plan.rank

// REDEFINE: %{order} =
// REDEFINE: %{cut} = {stages=3 rank-map=0,1,0}
// RUN: %{prove} --check-prefix=APART
// APART: plan.rank 0 {
// APART: plan.run @s0 F mb 0
// APART: plan.run @s2 F mb 0
// APART: plan.rank 1 {
// APART: plan.run @s1 F mb 0
// APART-NOT: plan.rank
