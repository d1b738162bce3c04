# run: plc-compile line.ein --strategy s.toml -o out.plcm
# exit: 2
# expect: s.toml:1:17: error: unknown key 'parallelism.é'; 'parallelism' has kind, stages, replicas, shard, shard_ranks, micro_batches, schedule, chunks, balance, place, plan, grain
# expect: s.toml:1:36: error: 'parallelism.stages' is 0 but must be at least 1
write("s.toml", "parallelism = { \"é\" = 1, stages = 0 }\n".encode())
