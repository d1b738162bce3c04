# run: env TMPDIR=absent plc-compile --calibrate
# expect: plc-compile: error: cannot make a folder: No such file or directory
# exit: 70
