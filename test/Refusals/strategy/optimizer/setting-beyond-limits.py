# run: plc-compile line.ein --set 'optimizer.kind="use own.ein:o"' --set optimizer.beta=2 -o out.plcm
# exit: 2
write("own.ein", "optimizer o(w[...], g[...]; beta = 1 above 0.5 to 1.5) { next w = w - rate * beta * g }\n")
# expect: plc-compile: error: --set optimizer.beta=2: 'optimizer.beta' is 2 but must be at most 1.5
