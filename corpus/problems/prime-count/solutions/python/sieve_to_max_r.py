# Only as much sieve as the largest query needs; the prefix is a tuple over the
# odd numbers.
import sys
from itertools import accumulate


def main():
    nums = [int(t) for t in sys.stdin.buffer.read().split()]
    top = max(nums[2::2]) | 1
    size = (top + 1) // 2
    flags = bytearray(b"\x01") * size
    i = 1
    while 2 * i * (i + 1) < size:
        if flags[i]:
            s = 2 * i * (i + 1)
            flags[s::2 * i + 1] = bytes((size - 1 - s) // (2 * i + 1) + 1)
        i += 1
    pre = (0,) + tuple(accumulate(flags))
    for l, r in zip(nums[1::2], nums[2::2]):
        hi = pre[(r + 1) // 2] if r > 1 else 0
        lo = pre[l // 2] if l > 2 else 0
        print(hi - lo)


main()
