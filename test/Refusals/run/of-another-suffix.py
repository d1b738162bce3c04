# run: plc-run bench line.txt
# expect: line.txt: error: not a compiled module (offset 0)
write("line.txt", LINE)
