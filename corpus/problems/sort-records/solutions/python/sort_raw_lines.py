# Keep the input lines as bytes and sort them by the number at their end.
import sys


def main():
    stream = sys.stdin.buffer
    stream.readline()
    lines = stream.readlines()
    lines.sort(key=lambda line: -int(line.split()[1]))
    sys.stdout.buffer.write(b"".join([b"%d %s" % (p, line) for p, line in enumerate(lines, 1)]))


main()
