import sys

from counting import inversions

print(inversions([int(word) for word in sys.stdin.read().split()][1:]))
