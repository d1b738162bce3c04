plan.block 64 from 0 to 1
// expect: 1:1: error: 'plan.block' op expects parent op 'plan.pack_instance'
