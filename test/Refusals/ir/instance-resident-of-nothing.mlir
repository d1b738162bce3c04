plan.resident in [0] owner 1 copy 1
// expect: 1:1: error: 'plan.resident' op expects parent op 'plan.partition_instance'
