# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --output grad(x)=@g.npy
# exit: 2
# expect: plc-run: error: model 'line' is compiled without 'grad(x)'; compile it by plc-compile MODEL.ein --output 'grad(x)' -o M.plcm
