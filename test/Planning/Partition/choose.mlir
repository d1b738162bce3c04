// A chosen plan: stages, ranks, full backward, recomputation and order are those of the spec. Layers a, b, c of the chain.
// DEFINE: %{spec} = plan.spec @p cut [0, 0, 1] ranks [0, 1] full [0, 2] once [0] order ["0F0,0F1,0B0,0W0,0F2,0B1,0W1,0F3,0B2,0W2,0B3,0W3", "1F0,1B0,1F1,1B1,1F2,1B2,1F3,1B3"] replicas 1
// DEFINE: %{choose} = plc-opt %inputs/chain.mlir --plan-choose='spec={%{spec}}'
// RUN: %{choose} --plan-partition | FileCheck %s --check-prefix=CUT
// RUN: %{choose} --plan-partition --plan-infer-skips --plan-schedule --plan-remat | FileCheck %s --check-prefix=ORDER
// RUN: %{choose} --plan-partition --plan-infer-skips --plan-schedule --plan-remat --plan-insert-comm --plan-addresses --plan-verify | FileCheck %s --check-prefix=ORDER

// CUT: plan.program @p attributes {{.*}}remat = #plan<remat "budget">
// CUT: plan.stage @s0
// CUT: plan.call @mul({{.*}}) path "a" discard [0]
// CUT: plan.task B
// CUT: plan.task W
// CUT: plan.call @grad({{.*}}) path "b" again [0]
// CUT: plan.stage @s1
// CUT: plan.task B
// CUT: plan.call @grad({{.*}}) path "c"
// CUT-NOT: plan.task W
// CUT: plan.spec @p

// The spec is gone once it is applied.
// ORDER-NOT: plan.spec
// ORDER: kept_bytes = 0 : i64
// ORDER-SAME: recompute_ns = 10 : i64
// ORDER: recompute <0, 0>
// ORDER: plan.rank 0
// ORDER: plan.run @s0 F mb 0
// ORDER: plan.run @s0 F mb 1
// ORDER: plan.run @s0 B mb 0
// ORDER: plan.run @s0 W mb 0
// ORDER: plan.run @s0 F mb 2

// Without what it recomputes.
// RUN: plc-opt %inputs/chain.mlir --plan-choose='spec={%{spec}} saves-all' --plan-partition | FileCheck %s --check-prefix=ALL
// ALL-NOT: discard
// ALL: remat = #plan<remat "none">
// ALL-NOT: discard
// RUN: plc-opt %inputs/chain.mlir --plan-choose='spec={plan.spec @p cut [0, 0, 0] ranks [0] full [0, 1, 2] once [0] each [1] always [2] saved [0, 1, 2] order [""] replicas 1} saves-all' --plan-partition | FileCheck %s --check-prefix=ALL

// A spec that is none, or of another model.
// DEFINE: %{wrong} = not plc-opt %inputs/chain.mlir
// RUN: %{wrong} --plan-choose=spec=nothing 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: error: spec is 'nothing' but must be one 'plan.spec'
// RUN: %{wrong} --plan-partition --plan-choose=spec=nothing 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: error: module has no 'ein.model' to choose a plan of: this pass runs before '--plan-partition'
// RUN: %{wrong} --plan-choose='spec={plan.spec @p cut [0, 1] ranks [0, 1] order ["", ""] replicas 1}' --plan-partition 2>&1 | FileCheck %s --check-prefix=UNITS
// UNITS: error: 'plan.spec' op cuts 2 units but model 'p' has 3
// RUN: %{wrong} --plan-choose='spec={plan.spec @p cut [0, 0] ranks [0] order ["", ""] replicas 1 shards 2}' --plan-partition 2>&1 | FileCheck %s --check-prefix=UNITS
// RUN: %{wrong} --plan-choose='spec={plan.spec @p cut [0, 0, 0] ranks [0] full [9] order [""] replicas 1}' --plan-partition 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: error: 'plan.spec' op has a full backward of unit 9 but there are 3
// RUN: %{wrong} --plan-choose='spec={plan.spec @p cut [0, 0, 0] ranks [0] once [9] order [""] replicas 1}' --plan-partition 2>&1 | FileCheck %s --check-prefix=CALL
// CALL: error: 'plan.spec' op recomputes forward call 9 but there are 4
// RUN: %{wrong} --plan-choose='spec={plan.spec @p cut [0, 0, 0] ranks [0] each [3] order [""] replicas 1}' --plan-partition 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: error: 'plan.spec' op recomputes forward call 3, which makes an output, changes a state, or is of a layer that saves what it makes
// RUN: %{wrong} --plan-choose='spec={plan.spec @p cut [0, 0, 0] ranks [0] order ["0F0"] replicas 1}' --plan-partition --plan-infer-skips --plan-schedule 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: error: 'plan.spec' op has an order that is none:
// RUN: %{wrong} --plan-partition=policy=budget 2>&1 | FileCheck %s --check-prefix=POLICY
// POLICY: error: policy is 'budget' but that is decided by a 'plan.spec', which plc-compile chooses
