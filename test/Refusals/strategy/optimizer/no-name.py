# run: plc-compile line.ein --set 'optimizer.kind="use own.ein"' -o out.plcm
# exit: 2
# expect: plc-compile: error: --set optimizer.kind="use own.ein": 'optimizer.kind = "use own.ein"' is no "use FILE:NAME"
