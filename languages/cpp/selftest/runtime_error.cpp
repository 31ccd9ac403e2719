#include <iostream>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    std::vector<long long> values(n);
    for (auto& value : values) std::cin >> value;
    std::cout << values.at(n) << "\n";  // past the end: an exception nobody catches
}
