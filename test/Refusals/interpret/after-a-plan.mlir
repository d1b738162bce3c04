// run: plc-interpret infer %s
plan.pack_instance @p alignment 64 {
}
// expect: 2:1: error: operation 'plan.pack_instance' is not interpreted: IR of '--emit=numerics' and earlier phases is
