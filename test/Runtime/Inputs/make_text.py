"""make_text.py OUT BYTES: the same pseudo-random letters every time."""
import sys

state, text = 1, bytearray()
for _ in range(int(sys.argv[2])):
    state = (state * 1103515245 + 12345) % 2**31
    text.append(b"abcdefgh \n"[state // 65536 % 10])
open(sys.argv[1], "wb").write(text)
