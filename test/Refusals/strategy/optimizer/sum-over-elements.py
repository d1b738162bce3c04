# run: plc-compile line.ein --set 'optimizer.kind="use own.ein:unit"' -o out.plcm
write("own.ein", "optimizer unit(w[...], g[...]) {\n  next w[...] = w[...] - rate * g[...] / sqrt(sum[...](g[...] * g[...]))\n}\n")
# expect: own.ein:2:47: error: this rule does not compute each element from the elements at its position alone, as an optimizer over '...' does; name an axis, as in 'w[..., i]', for rules on whole tensors
