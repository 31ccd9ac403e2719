#include <iostream>

int main() {
    int n;
    std::cin >> n;
    long long sum = 0, value;
    for (int i = 0; i < n && std::cin >> value; ++i) sum += value;
    std::cout << sum + 1 << "\n";
}
