plan.tensor from 0 to [1] ns 1 bytes 1
// expect: 1:1: error: 'plan.tensor' op expects parent op 'plan.partition_instance'
