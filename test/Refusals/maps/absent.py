# run: plc-run params line.plcm --params p.safetensors --map none.toml
# expect: none.toml: error: cannot be read: No such file or directory
