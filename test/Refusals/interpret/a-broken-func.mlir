// run: plc-interpret infer %s
ein.func @f(%x: tensor<?xf32>) {
  ein.return
}
// expect: 2:1: error: 'ein.func' op argument #0 is 'tensor<?xf32>' but needs to be a tensor with extents above 0 and elements real, f16, bf16, f32, f64, i8, ui8, i32, i64 or i1
