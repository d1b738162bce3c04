# run: plc-interpret infer line.ein --set parallelism.stages=2
# exit: 2
# expect: plc-interpret: error: key 'parallelism.stages' has no meaning here: the interpreter has no plan; it knows precision.compute, parallelism.micro_batches, gradient.accumulation_steps, gradient.lanes, parallelism.shard, training.nonfinite and the keys of [optimizer]
