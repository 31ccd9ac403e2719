import sys

total = 0
for value in range(int((sys.stdin.read().split() or ["1000"])[0])):
    total += value
print(total)
