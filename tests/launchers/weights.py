"""weights.py ONE OTHER LIMIT: how far the weights of two training states differ, as a share of the largest weight; leaves
with 1 where that is more than LIMIT. Needs nothing but Python."""
import array
import json
import struct
import sys


def weights(path):
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        entry = header["masters"]
        assert entry["dtype"] == "F32", entry
        begin, end = entry["data_offsets"]
        file.seek(8 + size + begin)
        return array.array("f", file.read(end - begin)), header["__metadata__"]["step"]


def main():
    (one, step), (other, other_step) = weights(sys.argv[1]), weights(sys.argv[2])
    if len(one) != len(other) or step != other_step:
        print(f"{len(one)} weights after step {step}, but {len(other)} after step {other_step}")
        return 1
    largest = max(abs(value) for value in one)
    difference = max(abs(a - b) for a, b in zip(one, other)) / largest
    print(f"{len(one)} weights after step {step}, " + (f"they differ by {difference:.1e}" if difference else "the same bits"))
    return int(not difference <= float(sys.argv[3]))


sys.exit(main())
