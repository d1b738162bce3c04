# run: plc-run generate line.plcm --prompt x
# expect: plc-run: error: 'generate' needs a byte-level language model: one i32 [B, S] input and an output 'logits' [B, S, V] with V at most 256
