# The Python reference program: a fixed amount of contest-like work, run right beside every
# measurement as the unit of relative time. It reads nothing and prints one checksum line.
# Changing it changes every relative time.
CELLS = 1 << 17  # references of 8 bytes: 1 MiB
ROUNDS = 2
STEPS = 30000
COUNTS = 20000
KEYS = 5003
SORTED = 20000
MASK = 0x7FFFFFFF


def main():
    cells = [0] * CELLS
    counts = {}
    x = 12345
    h = 0
    for _ in range(ROUNDS):
        for i in range(STEPS):
            x = (x * 1103515245 + 12345) & MASK
            j = (x >> 9) & (CELLS - 1)
            cells[j] = (cells[j] * 3 + (x >> 5) + i) & MASK
        for i in range(COUNTS):
            key = cells[i] % KEYS
            counts[key] = counts.get(key, 0) + 1
            h = (h * 31 + counts[key]) & MASK
        for value in sorted(cells[:SORTED]):
            h = (h * 31 + value) & MASK
    print(h)


main()
