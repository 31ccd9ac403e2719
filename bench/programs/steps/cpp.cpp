// Runs the number of steps on standard input, each with arithmetic, a table and a map.
#include <cstdint>
#include <iostream>
#include <unordered_map>
#include <vector>

int main() {
    long steps;
    std::cin >> steps;
    std::vector<uint32_t> cells(4096);
    std::unordered_map<uint32_t, uint32_t> counts;
    uint32_t x = 12345, h = 0;
    for (long i = 0; i < steps; i++) {
        x = x * 1103515245u + 12345u;
        uint32_t &cell = cells[x >> 9 & 4095];
        cell = cell * 3 + (x >> 5) + (uint32_t)i;
        counts[cell % 503]++;
        h = h * 31 + cell;
    }
    std::cout << h << ' ' << counts.size() << '\n';
}
