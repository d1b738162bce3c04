# run: plc-compile line.ein --program=training
# exit: 2
# expect: plc-compile: error: --program is train, eval, infer or update, found 'training'
