ein.param @w : tensor<?xf32> init normal(0.5, 0.0)
// expect: 1:1: error: 'ein.param' op attribute 'type' failed to satisfy constraint: type attribute of tensor with extents above 0 and elements real, f32, f64, i32, i64 or i1
