# run: plc-opt m.mlir --plan-remat=policy=some -o out.mlir
# expect: two.ein:7:7: error: checkpoint policy 'some' is not supported; there are 'none', 'uniform', 'selective' and 'dynamic'
write("m.mlir", ir("schedule"))
