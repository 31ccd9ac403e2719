# All counts live in one big integer, 128 bits each; 1/(1-x^c) is a product of (1 + x^(c*2^j)), done by shift and add.
import sys
from array import array


def main():
    n, amount = map(int, sys.stdin.readline().split())
    coins = sorted(c for c in map(int, sys.stdin.readline().split()) if c <= amount)
    mod = 1000000007
    size = amount + 1
    mask = (1 << (128 * size)) - 1
    series = 1
    bits = 30
    for c in coins:
        grow = (amount // c + 1).bit_length()
        if bits + grow > 127:
            words = array("Q", series.to_bytes(16 * size, "little"))
            low = [(x + (y << 64)) % mod for x, y in zip(words[0::2], words[1::2])]
            words = array("Q", bytes(16 * size))
            words[0::2] = array("Q", low)
            series = int.from_bytes(words.tobytes(), "little")
            bits = 30
        bits += grow
        step = c
        while step <= amount:
            series = (series + (series << (128 * step))) & mask
            step *= 2
    print((series >> (128 * amount)) % mod)


main()
