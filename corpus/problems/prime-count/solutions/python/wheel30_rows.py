# Wheel modulo 30: eight rows of 66667 bytes, one for every residue prime to 30.
# A prefix is kept per row of the wheel; the last turn is looked at directly.
import sys
from array import array
from itertools import accumulate

N = 2000000
RES = (1, 7, 11, 13, 17, 19, 23, 29)
K = N // 30 + 1


def main():
    rows = [bytearray(b"\x01") * K for _ in RES]
    rows[0][0] = 0
    for k in range(48):
        for i, row in enumerate(rows):
            if not row[k]:
                continue
            p = 30 * k + RES[i]
            inv = pow(p, -1, 30)
            for j, r in enumerate(RES):
                c = p + (r * inv - p) % 30
                s = p * c // 30
                if s < K:
                    rows[j][s::p] = bytes((K - 1 - s) // p + 1)
    pre = array("i", [0])
    pre.extend(accumulate(map(sum, zip(*rows))))
    upto = [sum(1 for r in RES if r <= m) for m in range(30)]

    def pi(x):
        if x < 7:
            return (0, 0, 1, 2, 2, 3, 3)[x]
        k, m = divmod(x, 30)
        t = 3 + pre[k]
        for row in rows[:upto[m]]:
            t += row[k]
        return t

    data = sys.stdin.buffer.read().split()
    out = []
    for i in range(1, 2 * int(data[0]), 2):
        out.append("%d" % (pi(int(data[i + 1])) - pi(int(data[i]) - 1)))
    print("\n".join(out))


main()
