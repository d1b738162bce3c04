# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: header of 18446744073709551615 bytes in a file of 10 (offset 0)
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", b"\xff" * 8 + b"{}")
