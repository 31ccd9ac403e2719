# Windows of length k composed from disjoint pieces by the binary digits of k.
import sys


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    power = list(map(int, data[2:2 + n]))
    done = None
    length = 0
    w = 1
    while True:
        if k & w:
            if done is None:
                done = power[:]
            else:
                done = [p if p > q else q for p, q in zip(done, power[length:])]
            length += w
        if 2 * w > k:
            break
        power = [p if p > q else q for p, q in zip(power, power[w:])]
        w *= 2
    sys.stdout.write(" ".join(map(str, done)) + "\n")


main()
