ein.model @m() attributes {arg_names = [], result_names = [], arg_batch = array<i64>, result_batch = array<i64>} {
}
// expect: 1:114: error: custom op 'ein.model' expected non-empty function body
