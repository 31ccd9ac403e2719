// Falling pass: every coin is used at most once.
#include <iostream>
#include <vector>

int main() {
    int n, amount;
    std::cin >> n >> amount;
    std::vector<int> ways(amount + 1);
    ways[0] = 1;
    for (int c; n > 0 && std::cin >> c; n--)
        for (int s = amount; s >= c; s--) ways[s] = (ways[s] + ways[s - c]) % 1000000007;
    std::cout << ways[amount] << '\n';
}
