# run: plc-compile line.ein --set 'optimizer.kind="use own.ein:o"' -o out.plcm
write("own.ein", "optimizer o(w[...], g[...]) {\n  next w = w - rate * grad\n}\n")
# expect: own.ein:2:23: error: unknown name 'grad'; an optimizer sees no other parameter, it has 'g', 'rate', 'step', 'w'
