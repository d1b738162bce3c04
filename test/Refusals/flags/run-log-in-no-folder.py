# run: plc-run train line.plcm --data x=d.txt --data t=d.txt --steps 1 --log absent/log
# expect: absent/log: error: cannot be written: No such file or directory
write("d.txt", "text " * 100)
