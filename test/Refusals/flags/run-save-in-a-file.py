# run: plc-run train line.plcm --data x=d.txt --data t=d.txt --steps 1 --save d.txt
# expect: d.txt: error: checkpoint cannot be written: Not a directory
write("d.txt", "text " * 100)
