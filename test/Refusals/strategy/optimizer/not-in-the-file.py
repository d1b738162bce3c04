# run: plc-compile line.ein --set 'optimizer.kind="use own.ein:lino"' -o out.plcm
# exit: 2
write("own.ein", "optimizer lion(w[...], g[...]) { next w = w - rate * sign(g) }\noptimizer plain(w[...], g[...]) { next w = w - rate * g }\n")
# expect: plc-compile: error: --set optimizer.kind="use own.ein:lino": 'own.ein' has no optimizer 'lino'; the nearest is 'lion'; it has 'lion', 'plain'
