x = int(input())
while True:
    x = (x + 1) & 0xFFFF
