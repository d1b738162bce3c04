# run: plc-run bench absent.plcm
# expect: absent.plcm: error: cannot be read: No such file or directory
