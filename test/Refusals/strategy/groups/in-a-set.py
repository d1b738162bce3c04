# run: plc-compile line.ein --set 'optimizer.group=[{match="nobody"}]' -o out.plcm
# exit: 2
# expect: plc-compile: error: --set optimizer.group=[{match="nobody"}]: no parameter has a path like 'nobody'; the first one is 'linear.w', and 'plc-run params' lists all
# expect: line.ein:7:7: note: the model stands here
