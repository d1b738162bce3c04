# run: plc-compile absent.ein
# expect: plc-compile: error: cannot read model 'absent.ein': No such file or directory
