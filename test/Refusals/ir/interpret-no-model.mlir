// run: plc-interpret infer %s
module {
}
// expect: interpret-no-model.mlir: error: has 0 'ein.model' but needs one
