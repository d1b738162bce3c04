plan.pack_instance @p alignment 64 packed 64 {
  plan.block 64 from 0 to 1
}
// expect: 1:1: error: 'plan.pack_instance' op has a part of an answer but not the whole
