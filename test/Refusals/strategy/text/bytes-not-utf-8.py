# run: plc-compile line.ein --strategy s.toml -o out.plcm
# exit: 2
# expect: s.toml:1:9: error: encountered invalid utf-8 sequence
write("s.toml", b"mode = \"l\xffzy\"\n")
