// Specs that the verifier refuses, one for each constraint.
// RUN: plc-opt %s --split-input-file --verify-diagnostics

// @contract_c1
// expected-error@+1 {{leaves out a stage in its cut}}
plan.spec @m cut [0, 2] ranks [0, 1, 2] order ["", "", ""] replicas 1

// -----

// @contract_c1
// expected-error@+1 {{has ranks for 1 stages but cuts into 2}}
plan.spec @m cut [0, 1] ranks [0] order [""] replicas 1

// -----

// @contract_c1
// expected-error@+1 {{leaves out a rank}}
plan.spec @m cut [0, 1] ranks [0, 2] order ["", "", ""] replicas 1

// -----

// @contract_c2
// expected-error@+1 {{has 1 rows of tasks for 2 ranks}}
plan.spec @m cut [0, 1] ranks [0, 1] order [""] replicas 1

// -----

// @contract_c2
// expected-error@+1 {{has a row that is no list of tasks as '0F0,1B2': '0X0'}}
plan.spec @m cut [0] ranks [0] order ["0X0"] replicas 1

// -----

// @contract_c2
// expected-error@+1 {{runs stage 1 on rank 0, where it is not}}
plan.spec @m cut [0, 1] ranks [0, 1] order ["1F0", ""] replicas 1

// -----

// @contract_c2
// expected-error@+1 {{runs stage 0, F of micro-batch 1 twice}}
plan.spec @m cut [0] ranks [0] order ["0F1,0F1"] replicas 1

// -----

// @contract_c3
// expected-error@+1 {{has a list 'once' that does not ascend from 0 or more}}
plan.spec @m cut [0] ranks [0] once [2, 2] order [""] replicas 1

// -----

// @contract_c3
// expected-error@+1 {{has a list 'saved' that does not ascend from 0 or more}}
plan.spec @m cut [0] ranks [0] saved [-1] order [""] replicas 1
