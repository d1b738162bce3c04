# run: plc-run bench m.plcm
# expect: m.plcm: error: cannot be read: No such file or directory
