"""split_text.py TEXT: writes its bytes as tokens of 16 and 32 bits, ids.bin and wide.bin, and in three parts, of tokens
(part-1.bin, part-2.bin, part-9.bin) and of bytes (text-0, text-1, text-2)."""
import sys
from array import array


def write(file, values, code):
    with open(file, "wb") as out:
        array(code, values).tofile(out)


text = list(open(sys.argv[1], "rb").read())
write("ids.bin", text, "H")
write("wide.bin", text, "I")
cuts = [0, 700, 701, len(text)]
for name, begin, end in zip("129", cuts, cuts[1:]):
    write(f"part-{name}.bin", text[begin:end], "H")
cuts = [0, 1, len(text) - 1, len(text)]
for name, begin, end in zip("012", cuts, cuts[1:]):
    write(f"text-{name}", text[begin:end], "B")
