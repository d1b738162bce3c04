# run: plc-compile line.ein --set 'optimizer={kind='"'"'sgd'"'"'' -o out.plcm
# exit: 2
# expect: plc-compile: error: --set optimizer={kind='sgd': 'optimizer' is a table; 'optimizer' has kind, lr, beta1, beta2, eps, weight_decay, schedule, clip_norm, clip_value, ema, layer_decay, decay_matrices_only
