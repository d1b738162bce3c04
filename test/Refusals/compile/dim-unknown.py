# run: plc-compile line.ein -D BATCH=4 -o out.plcm
# expect: line.ein: error: '-D BATCH=4' names no dim of this file
