# run: plc-compile line.ein --set 'optimizer.kind="use none.ein:lion"' -o out.plcm
# exit: 2
# expect: plc-compile: error: --set optimizer.kind="use none.ein:lion": cannot read 'none.ein': No such file or directory
