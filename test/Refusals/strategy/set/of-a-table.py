# run: plc-compile line.ein --set 'optimizer={kind='"'"'sgd'"'"', beta1=0.5}' -o out.plcm
# exit: 2
# expect: plc-compile: error: --set optimizer={kind='sgd', beta1=0.5}: 'optimizer.beta1' belongs to 'optimizer.kind = "adam" or "adamw" or "lion" or "muon"' and would be ignored under "sgd"
