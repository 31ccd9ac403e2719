// Reads numbers, prints their sum: the smallest task of a solution.
#include <iostream>

int main() {
    long long n, sum = 0;
    while (std::cin >> n) sum += n;
    std::cout << sum << "\n";
}
