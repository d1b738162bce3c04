# run: plc-compile line.ein -o absent/out.plcm
# expect: plc-compile: error: cannot write 'absent/out.plcm': No such file or directory
