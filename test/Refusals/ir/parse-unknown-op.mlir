ein.contrct @f
// expect: 1:1: error: custom op 'ein.contrct' is unknown
