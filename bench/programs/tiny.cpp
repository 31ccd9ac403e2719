// Reads numbers and prints their sum: about the least that a solution does.
#include <iostream>

int main() {
    long long n, sum = 0;
    while (std::cin >> n) sum += n;
    std::cout << sum << "\n";
}
