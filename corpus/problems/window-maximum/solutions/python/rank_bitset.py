# Coordinate compression, counts for each rank, and a two-level bitset to find the highest live rank.
import sys


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    a = list(map(int, data[2:2 + n]))
    values = sorted(set(a))
    rank = {v: r for r, v in enumerate(values)}
    ids = [rank[x] for x in a]
    count = [0] * len(values)
    words = [0] * ((len(values) >> 9) + 1)
    summary = 0
    out = []
    for i, r in enumerate(ids):
        count[r] += 1
        if count[r] == 1:
            words[r >> 9] |= 1 << (r & 511)
            summary |= 1 << (r >> 9)
        if i >= k:
            old = ids[i - k]
            count[old] -= 1
            if not count[old]:
                w = old >> 9
                words[w] ^= 1 << (old & 511)
                if not words[w]:
                    summary ^= 1 << w
        if i >= k - 1:
            w = summary.bit_length() - 1
            out.append(values[(w << 9) | (words[w].bit_length() - 1)])
    sys.stdout.write(" ".join(map(str, out)) + "\n")


main()
