# Every element owns the window starts between its previous and next greater neighbours.
import sys


def main():
    n, k = map(int, sys.stdin.readline().split())
    a = list(map(int, sys.stdin.readline().split()))
    before = [-1] * n
    after = [n] * n
    st = []
    for i, x in enumerate(a):
        while st and a[st[-1]] <= x:
            after[st.pop()] = i
        if st:
            before[i] = st[-1]
        st.append(i)
    words = [""] * (n - k + 1)
    for i, x in enumerate(a):
        lo = max(before[i] + 1, i - k + 1)
        hi = min(i, after[i] - k)
        if lo <= hi:
            words[lo:hi + 1] = [str(x)] * (hi - lo + 1)
    print(" ".join(words))


main()
