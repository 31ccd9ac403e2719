import sys

n = int((sys.stdin.read().split() or ["1000"])[0])
print(n * (n - 1) // 2)
