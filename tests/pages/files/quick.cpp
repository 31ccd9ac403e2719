#include <iostream>

int main() {
    long long n = 1000;
    std::cin >> n;
    std::cout << n * (n - 1) / 2 << "\n";
}
