# run: plc-run train line.plcm --data x=d.txt --data t=d.txt --steps 1 --trace t.json
# expect: t.json: error: cannot be written: Is a directory
import os
write("d.txt", "text " * 100)
os.mkdir("t.json")
