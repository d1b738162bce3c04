// What the passes make is proven, for each order and number of stages; see verify-errors.test for what is refused.
// RUN: plc-opt %inputs/chain.mlir --plan-partition --plan-infer-skips --plan-schedule --plan-insert-comm --plan-addresses --plan-verify -o /dev/null
// RUN: plc-opt %inputs/chain.mlir --plan-partition=stages=3 --plan-infer-skips --plan-schedule --plan-insert-comm --plan-addresses --plan-verify -o /dev/null
// RUN: plc-opt %inputs/chain.mlir --plan-partition=stages=3 --plan-infer-skips --plan-schedule=schedule=gpipe --plan-insert-comm --plan-addresses --plan-verify -o /dev/null
// RUN: plc-opt %inputs/chain.mlir --plan-partition=stages=3 --plan-infer-skips --plan-schedule=schedule=gpipe --plan-insert-comm=max-slots=1 --plan-addresses --plan-verify -o /dev/null
// RUN: plc-opt %inputs/chain.mlir --plan-partition="stages=3 place=0,1,0" --plan-infer-skips --plan-schedule --plan-insert-comm --plan-addresses --plan-verify -o /dev/null
// RUN: plc-opt %inputs/chain.mlir --plan-partition="stages=3 place=1,0,0" --plan-infer-skips --plan-schedule=schedule=gpipe --plan-insert-comm --plan-addresses --plan-verify -o /dev/null
