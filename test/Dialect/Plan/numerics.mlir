// RUN: plc-opt %s --split-input-file --verify-diagnostics | plc-opt --split-input-file | FileCheck %s

// CHECK: plan.numerics @m digest "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
plan.numerics @m digest "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
ein.model @m() -> () attributes {arg_names = [], arg_batch = array<i64>, result_names = [], result_batch = array<i64>} {
  ein.return
}
