# run: plc-run bench m.plcm
# expect: m.plcm: error: is a directory, not a file
import os
os.mkdir("m.plcm")
