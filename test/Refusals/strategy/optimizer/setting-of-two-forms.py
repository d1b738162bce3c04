# run: plc-compile line.ein --set 'optimizer.kind="use own.ein:o"' -o out.plcm
# exit: 2
write("own.ein", "optimizer o(w[..., r, c], g[..., r, c]; b = 0.9) { next w = w - rate * b * g }\noptimizer o(w[...], g[...]; b = 0.8) { next w = w - rate * b * g }\n")
# expect: own.ein:2:29: error: setting 'b' has another default or other limits in the form before, but is one setting
