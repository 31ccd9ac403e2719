# Full sparse table, every window answered by two overlapping powers of two.
import sys


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    table = [[int(t) for t in data[2:2 + n]]]
    width = 1
    while 2 * width <= n:
        prev = table[-1]
        row = []
        for i in range(n - 2 * width + 1):
            x = prev[i]
            y = prev[i + width]
            row.append(x if x > y else y)
        table.append(row)
        width *= 2
    level = k.bit_length() - 1
    row = table[level]
    shift = k - (1 << level)
    out = [max(row[i], row[i + shift]) for i in range(n - k + 1)]
    sys.stdout.write(" ".join(map(str, out)) + "\n")


main()
