"""decode.py tokens V: tok.npy, texts [3, 8], and as runs see them steps.npy [8, 3, 1] and pos.npy [8, 3].
decode.py turn IN OUT: logits [B, S, V] as those of S runs [S, B, 1, V]."""
import sys

import numpy as np

if sys.argv[1] == "tokens":
    tok = (np.arange(24, dtype=np.int32).reshape(3, 8) * 37 + 11) % int(sys.argv[2])
    np.save("tok.npy", tok)
    np.save("steps.npy", tok.T[:, :, None].copy())
    np.save("pos.npy", np.repeat(np.arange(8, dtype=np.int32)[:, None], 3, 1))
else:
    np.save(sys.argv[3], np.load(sys.argv[2]).transpose(1, 0, 2)[:, :, None, :].copy())
