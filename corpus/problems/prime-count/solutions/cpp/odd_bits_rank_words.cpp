// Odd numbers only, one bit each, and a running count per 64-bit word.
#include <cstdint>
#include <cstdio>
#include <vector>

struct OddRank {
    std::vector<uint64_t> bits;
    std::vector<uint32_t> rank;

    explicit OddRank(uint32_t n) : bits(n / 128 + 2, ~0ULL), rank(n / 128 + 3, 0) {
        uint32_t half = bits.size() * 64;
        bits[0] &= ~1ULL;
        for (uint32_t i = 1; 2 * i * (i + 1) < half; i++) {
            if (!(bits[i >> 6] >> (i & 63) & 1)) continue;
            for (uint32_t j = 2 * i * (i + 1); j < half; j += 2 * i + 1)
                bits[j >> 6] &= ~(1ULL << (j & 63));
        }
        for (size_t w = 0; w < bits.size(); w++)
            rank[w + 1] = rank[w] + __builtin_popcountll(bits[w]);
    }

    int upto(int x) const {
        if (x < 2) return 0;
        uint32_t e = (x + 1) / 2;
        uint64_t part = e & 63 ? bits[e >> 6] << (64 - (e & 63)) : 0;
        return 1 + rank[e >> 6] + __builtin_popcountll(part);
    }
};

int main() {
    OddRank table(2000000);
    int q, l, r;
    if (scanf("%d", &q) != 1) return 0;
    for (int i = 0; i < q; i++) {
        if (scanf("%d %d", &l, &r) != 2) return 0;
        printf("%d\n", table.upto(r) - table.upto(l - 1));
    }
    return 0;
}
