# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.program' op has batch 7 in 2 micro-batches and ragged extent 0 but micro-batches divide the batch, or share a ragged extent
write("m.mlir", ir("partition").replace(b'batch = 8 ', b'batch = 7 ', 1))
