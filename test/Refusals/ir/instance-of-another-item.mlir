plan.pack_instance @p alignment 64 {
  plan.part "a" ns 1 kept 0 scratch 0
}
// expect: 2:3: error: 'plan.part' op stands in a 'plan.pack_instance', which holds blocks
