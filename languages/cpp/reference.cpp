// The C++ reference program: a fixed amount of contest-like work, run right beside every
// measurement as the unit of relative time. It reads nothing and prints one checksum line.
// Changing it changes every relative time.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <unordered_map>
#include <vector>

static const uint32_t CELLS = 1u << 18;  // 32-bit cells: 1 MiB
static const int ROUNDS = 6;
static const int STEPS = 500000;
static const int COUNTS = 100000;
static const int KEYS = 5003;
static const int SORTED = 40000;
static const uint32_t MASK = 0x7fffffff;

int main() {
    std::vector<uint32_t> cells(CELLS, 0);
    std::unordered_map<uint32_t, uint32_t> counts;
    uint32_t x = 12345, h = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < STEPS; ++i) {
            x = (x * 1103515245u + 12345u) & MASK;
            uint32_t j = (x >> 9) & (CELLS - 1);
            cells[j] = (cells[j] * 3 + (x >> 5) + i) & MASK;
        }
        for (int i = 0; i < COUNTS; ++i) {
            uint32_t key = cells[i] % KEYS;
            counts[key] += 1;
            h = (h * 31 + counts[key]) & MASK;
        }
        std::vector<uint32_t> part(cells.begin(), cells.begin() + SORTED);
        std::sort(part.begin(), part.end());
        for (uint32_t value : part) h = (h * 31 + value) & MASK;
    }
    std::printf("%u\n", h);
}
