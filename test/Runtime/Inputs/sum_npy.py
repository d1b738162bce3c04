"""sum_npy.py A.npy B.npy: how many elements are nonzero, and whether the f32 sums agree to rounding."""
import struct, sys

sums = []
for name in sys.argv[1:]:
    data = open(name, "rb").read()
    data = data[10 + struct.unpack("<H", data[8:10])[0]:]
    values = struct.unpack("<%df" % (len(data) // 4), data)
    print("%s: %d of %d nonzero" % (name, sum(v != 0 for v in values), len(values)))
    sums.append(sum(values))
print("sums agree" if abs(sums[0] - sums[1]) < 1e-6 else "sums differ: %s" % sums)
