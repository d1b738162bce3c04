plan.schedule_instance @p micro_batches 1 schedule "mine" makespan 1 bound 1 {
  plan.times rank 0 F 1
  plan.order ["0G0"]
}
// expect: 3:3: error: 'plan.order' op has job '0G0' but jobs are written as '1B3': stage, F, B or W, micro-batch
