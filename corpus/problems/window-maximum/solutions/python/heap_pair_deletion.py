# Two heaps of plain values: one of arrivals, one of departures; equal tops cancel.
import sys
from heapq import heapify, heappush, heappop


def main():
    inp = sys.stdin
    n, k = map(int, inp.readline().split())
    neg = [-int(t) for t in inp.readline().split()]
    live = neg[:k]
    heapify(live)
    dead = []
    out = [-live[0]]
    for i in range(k, n):
        heappush(live, neg[i])
        heappush(dead, neg[i - k])
        while dead and dead[0] == live[0]:
            heappop(dead)
            heappop(live)
        out.append(-live[0])
    sys.stdout.write(" ".join(map(str, out)) + "\n")


main()
