# run: plc-compile line.ein --program train --output y
# exit: 2
# expect: plc-compile: error: --output belongs to program 'infer', found --program 'train'
