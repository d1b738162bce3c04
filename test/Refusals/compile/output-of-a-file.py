# run: plc-compile line.ein --output y=@y.npy -o out.plcm
# exit: 2
# expect: plc-compile: error: --output is NAME, grad(NAME) or PATH.NAME, found 'y=@y.npy'
