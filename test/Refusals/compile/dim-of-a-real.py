# run: plc-compile line.ein -D B=1.5 -o out.plcm
# exit: 2
# expect: plc-compile: error: -D needs NAME=SIZE, the size an integer below 2^63, found 'B=1.5'
