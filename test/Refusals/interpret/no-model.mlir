// run: plc-interpret infer %s
module {
}
// expect: no-model.mlir: error: has 0 'ein.model' but needs one
