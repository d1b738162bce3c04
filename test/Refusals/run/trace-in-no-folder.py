# run: plc-run train line.plcm --data x=d.txt --data t=d.txt --steps 1 --trace absent/t.json
# expect: absent/t.json: error: cannot be written: No such file or directory
write("d.txt", "text " * 100)
