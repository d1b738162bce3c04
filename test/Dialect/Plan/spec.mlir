// A plan that is chosen and not yet applied: roundtrip.
// RUN: plc-opt %s | plc-opt | FileCheck %s
// RUN: plc-opt %s --mlir-print-op-generic | plc-opt | FileCheck %s

// CHECK: plan.spec @m cut [0, 0, 1] ranks [0, 1] full [0] once [1] order ["0F0,0F1,0B0,0B1", "1F0,1B0,1W0,1F1,1B1,1W1"] replicas 1
plan.spec @m cut [0, 0, 1] ranks [0, 1] full [0] once [1]
          order ["0F0,0F1,0B0,0B1", "1F0,1B0,1W0,1F1,1B1,1W1"] replicas 1
// CHECK: plan.spec @whole cut [0] ranks [0] order ["0F0"] replicas 2
plan.spec @whole cut [0] ranks [0] order ["0F0"] replicas 2
// Stages that ranks share are numbered as they are divided.
// CHECK: plan.spec @shared cut [0] ranks [0] each [3] always [1, 4] saved [5] order ["0F0,5F0", "1F0"] replicas 1 shards 2
plan.spec @shared cut [0] ranks [0] each [3] always [1, 4] saved [5] order ["0F0,5F0", "1F0"] replicas 1 shards 2
