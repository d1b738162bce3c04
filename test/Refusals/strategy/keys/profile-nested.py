# run: plc-compile line.ein --strategy s.toml -o out.plcm
# exit: 2
# expect: s.toml:2:11: error: 'log' has no times of kernels; 'plc-run train --log' writes them, of a module that was compiled with 'profiling = true'
write("s.toml", '[machine]\nprofile = "log"\n')
write("log", "{}\n" + "[" * 10**6 + "]" * 10**6 + "\n")
