# run: plc-compile m.ein -o out.plcm
# expect: m.ein: error: the file has no model
write("m.ein", "\n  \n# nothing\n")
