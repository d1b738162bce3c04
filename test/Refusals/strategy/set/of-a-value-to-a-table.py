# run: plc-compile line.ein --set optimizer=sgd -o out.plcm
# exit: 2
# expect: plc-compile: error: --set optimizer=sgd: 'optimizer' is a table; 'optimizer' has kind, lr, weight_decay, beta1, beta2, eps, momentum, schedule, clip_norm, clip_value, ema
