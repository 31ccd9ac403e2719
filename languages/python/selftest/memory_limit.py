n = int(input())
total = sum(list(map(int, input().split()))[:n])
# 1 GiB in pieces of 16 MiB, every byte written and one of each piece read back
kept = []
for _ in range(64):
    kept.append(bytearray([n]) * (16 << 20))
for piece in kept:
    total += piece[n] - n
print(total)
