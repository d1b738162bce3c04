# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.json
# expect: p.json: error: nests values in more than 256 levels (offset 282)
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.json", '{"weight_map": {"linear.w": ' + "[" * 10**6 + "]" * 10**6 + "}}")
