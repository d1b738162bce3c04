# run: plc-compile line.ein --output grad(linear.v) -o out.plcm
# exit: 2
# expect: line.ein:7:7: error: model 'line' has no input or parameter 'linear.v'; its inputs are 'x', 't', parameters such as 'linear.w'
