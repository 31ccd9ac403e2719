# Queue made of two stacks; the out stack stores running maxima.
import sys


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    inbox = []
    top = None
    outbox = []
    res = []
    for i in range(n):
        x = int(data[i + 2])
        inbox.append(x)
        if top is None or x > top:
            top = x
        if i < k - 1:
            continue
        if not outbox:
            m = -10 ** 10
            while inbox:
                y = inbox.pop()
                if y > m:
                    m = y
                outbox.append(m)
            top = None
        m = outbox.pop()
        res.append(m if top is None or m > top else top)
    print(" ".join(map(str, res)))


main()
