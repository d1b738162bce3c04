# run: plc-compile line.ein --output y=@y.npy -o out.plcm
# exit: 2
# expect: plc-compile: error: --output is NAME or grad(NAME), found 'y=@y.npy'
