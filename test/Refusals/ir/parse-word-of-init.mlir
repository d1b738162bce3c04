ein.param @w : tensor<3xf32> init gauss(0.5, 0.0)
// expect: 1:35: error: custom op 'ein.param' found 'gauss', expected one of constant, normal, uniform
