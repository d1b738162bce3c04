# run: plc-compile line.ein --strategy s.toml -o out.plcm
# exit: 2
# expect: s.toml:1:1: error: a key has more than 256 parts
write("s.toml", "a." * 10**5 + "a = 1\n")
