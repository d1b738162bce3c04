# run: plc-compile line.ein --entry lien -o out.plcm
# expect: line.ein: error: the file has no model 'lien'; the nearest is 'line'
