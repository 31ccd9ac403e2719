# Divide and conquer on the array: windows crossing the middle come from running maxima on both sides.
import sys
from itertools import accumulate


def main():
    n, k = map(int, sys.stdin.buffer.readline().split())
    a = list(map(int, sys.stdin.buffer.readline().split()))
    res = [0] * (n - k + 1)

    def solve(lo, hi):
        if hi - lo < k:
            return
        if k == 1:
            res[lo:hi] = a[lo:hi]
            return
        mid = (lo + hi) // 2
        back = list(accumulate(reversed(a[max(lo, mid - k + 1):mid]), max))
        front = list(accumulate(a[mid:min(hi, mid + k - 1)], max))
        for s in range(max(lo, mid - k + 1), min(mid - 1, hi - k) + 1):
            x = back[mid - 1 - s]
            y = front[s + k - 1 - mid]
            res[s] = x if x > y else y
        solve(lo, mid)
        solve(mid, hi)

    solve(0, n)
    sys.stdout.write(" ".join(map(str, res)) + "\n")


main()
