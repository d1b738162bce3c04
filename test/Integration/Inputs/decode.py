"""decode.py tokens V: tok.npy, texts [3, 8], and as runs see them steps.npy [8, 3, 1] and pos.npy [8, 3];
zero.npy [3], where a run of them all begins.
decode.py turn IN OUT: logits [B, S, V] as those of S runs [S, B, 1, V], and the last.npy of them."""
import sys

import numpy as np

if sys.argv[1] == "tokens":
    tok = (np.arange(24, dtype=np.int32).reshape(3, 8) * 37 + 11) % int(sys.argv[2])
    np.save("tok.npy", tok)
    np.save("steps.npy", tok.T[:, :, None].copy())
    np.save("pos.npy", np.repeat(np.arange(8, dtype=np.int32)[:, None], 3, 1))
    np.save("zero.npy", np.zeros(3, np.int32))
else:
    np.save("last.npy", np.load(sys.argv[2])[:, -1:].copy())
    np.save(sys.argv[3], np.load(sys.argv[2]).transpose(1, 0, 2)[:, :, None, :].copy())
