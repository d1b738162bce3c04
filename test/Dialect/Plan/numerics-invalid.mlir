// RUN: plc-opt %s --split-input-file --verify-diagnostics

// (C1)
// expected-error@+1 {{'plan.numerics' op names 'm', which is no 'ein.model' or 'plan.program'}}
plan.numerics @m digest "0"

// -----

ein.param @w : tensor<4xf32> init normal(2.0, 0.0)
// expected-error@+1 {{'plan.numerics' op names 'w', which is no 'ein.model' or 'plan.program'}}
plan.numerics @w digest "0"
