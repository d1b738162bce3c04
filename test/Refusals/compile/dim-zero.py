# run: plc-compile line.ein -D B=0 -o out.plcm
# expect: line.ein:1:5: error: 'B' is 0 by -D, expected 1 to 9223372036854775807
