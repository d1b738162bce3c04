# run: plc-interpret check-gradients single.ein
# expect: plc-interpret: error: input 't' is f32[8], but gradients are checked in f64
write("single.ein", LINE.replace("model line(x[B, I], t[B])", "model line(x[B, I], t: f32[B])").replace("- t[b]", "- real(t[b])"))
