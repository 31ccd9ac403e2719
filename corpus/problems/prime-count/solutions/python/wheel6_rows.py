# Wheel modulo 6: one row for 6k+1, one for 6k+5, each with its prefix array.
import sys
from array import array
from itertools import accumulate

N = 2000000
K = N // 6 + 1
one = bytearray(b"\x01") * K
five = bytearray(b"\x01") * K
one[0] = 0


def strike(row, residue, p):
    c = p + (residue * p - p) % 6
    s = p * c // 6
    if s < K:
        row[s::p] = bytes((K - 1 - s) // p + 1)


for k in range(236):
    if five[k - 1] and k:
        p = 6 * k - 1
        strike(one, 1, p)
        strike(five, 5, p)
    if one[k]:
        p = 6 * k + 1
        strike(one, 1, p)
        strike(five, 5, p)

pre1 = array("i", [0])
pre1.extend(accumulate(one))
pre5 = array("i", [0])
pre5.extend(accumulate(five))


def pi(x):
    if x < 3:
        return 1 if x == 2 else 0
    return 2 + pre1[(x + 5) // 6] + pre5[(x + 1) // 6]


def main():
    data = sys.stdin.buffer.read().split()
    res = [pi(int(data[i + 1])) - pi(int(data[i]) - 1) for i in range(1, len(data) - 1, 2)]
    sys.stdout.write("\n".join(map(str, res)) + "\n")


main()
