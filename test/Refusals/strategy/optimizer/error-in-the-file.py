# run: plc-compile line.ein --set 'optimizer.kind="use own.ein:o"' -o out.plcm
# exit: 2
write("own.ein", "optimizer o(w[...], g[...]) {\n  state m[...] = 0\n  next w = w - rate * m\n}\n")
# expect: own.ein:2:9: error: state 'm' has no 'next m': write its value after the step
