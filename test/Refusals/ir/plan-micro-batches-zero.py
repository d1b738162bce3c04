# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.program' op has batch 8 in 0 micro-batches and ragged extent 0 but micro-batches divide the batch, or share a ragged extent
write("m.mlir", ir("schedule").replace(b'micro_batches = 2', b'micro_batches = 0', 1))
