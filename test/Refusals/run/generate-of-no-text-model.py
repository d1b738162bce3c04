# run: plc-run generate line.plcm --prompt x
# expect: plc-run: error: 'generate' needs a language model: one integer [B, S] input and an output 'logits' [B, S, V]
