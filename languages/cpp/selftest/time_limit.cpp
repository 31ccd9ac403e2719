#include <iostream>

int main() {
    int n;
    std::cin >> n;
    volatile unsigned long long x = n;
    for (;;) x = x + 1;  // volatile: the loop stays
}
