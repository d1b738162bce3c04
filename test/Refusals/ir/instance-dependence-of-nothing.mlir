plan.dependence 0 F to 1 F ns 1
// expect: 1:1: error: 'plan.dependence' op expects parent op 'plan.schedule_instance'
