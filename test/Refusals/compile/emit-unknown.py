# run: plc-compile line.ein --emit=kernel
# exit: 2
# expect: plc-compile: error: --emit has no phase 'kernel'; phases: ein, precision, micro-batch, algebra, gradient, numerics, kernels, partition, skips, schedule, remat, comm, addresses, llvm, object, module, csv, dot, json, ein-source
