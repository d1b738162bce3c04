# run: plc-run train line.plcm --data x=d.csv --data t=d.csv --steps 1
# exit: 2
# expect: plc-run: error: input 'x' is f32[8, 3], but 'd.csv' would be read as bytes of text; give rows of a .npy or .safetensors file
write("d.csv", "1,2,3\n" * 100)
