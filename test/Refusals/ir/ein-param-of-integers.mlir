ein.param @w : tensor<3xi32> init normal(0.5, 0.0)
// expect: 1:1: error: 'ein.param' op has element type 'i32' but needs real, f32 or f64
