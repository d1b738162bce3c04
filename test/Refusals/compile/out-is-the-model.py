# run: plc-compile line.ein -o line.ein
# exit: 2
# expect: plc-compile: error: -o would overwrite the model 'line.ein'
