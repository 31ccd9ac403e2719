#include <iostream>
#include <memory>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    long long sum = 0, value;
    for (int i = 0; i < n && std::cin >> value; ++i) sum += value;
    // 1 GiB in pieces of 16 MiB, every page written and a byte of each piece read back
    const int pieces = 64, size = 16 << 20, page = 4096;
    std::vector<std::unique_ptr<volatile char[]>> kept;
    for (int i = 0; i < pieces; ++i) {
        kept.emplace_back(new volatile char[size]);
        for (int j = 0; j < size; j += page) kept.back()[j] = char(n);
    }
    for (auto& piece : kept) sum += piece[0] - n;
    std::cout << sum << "\n";
}
