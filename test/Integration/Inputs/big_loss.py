"""big_loss.py MODEL.ein [FACTOR]: the model, its loss times a factor (1e6), so that gradients overflow f16 where the loss does not f32."""
import sys

text, factor = open(sys.argv[1]).read(), sys.argv[2] if len(sys.argv) > 2 else "1e6"
assert text.count("  loss = ") == 1
print(text.replace("  loss = ", f"  loss = {factor} * "), end="")
