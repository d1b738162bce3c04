// Which actions a rank may exchange: an action comes after those that it needs, and after the same part of the micro-batch before.
// Without a spare place F of micro-batch 2 on rank 0 must wait until B has read what micro-batch 0 left; with one it need not.
// DEFINE: %{passes} = plan-partition{stages=2},plan-infer-skips,plan-schedule,plan-remat,plan-insert-comm
// RUN: plc-opt %inputs/chain.mlir --pass-pipeline="builtin.module(%{passes},plan-addresses{spare=1},plan-free-order,plan-verify)" | FileCheck %s
// CHECK: plan.rank 0 after [
// CHECK: plan.rank 1 after [

// Every pair is needed: without any one of them the proof fails. Every order that is left open is right.
// RUN: %python %inputs/free_orders.py %inputs/chain.mlir | FileCheck %s --check-prefix=ALL
// ALL: {{[1-9][0-9]*}} pairs, of which none may be missing; {{[1-9][0-9]*}} orders, all of them right
