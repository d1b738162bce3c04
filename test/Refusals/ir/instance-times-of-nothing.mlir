plan.times rank 0 F 1
// expect: 1:1: error: 'plan.times' op expects parent op 'plan.schedule_instance'
