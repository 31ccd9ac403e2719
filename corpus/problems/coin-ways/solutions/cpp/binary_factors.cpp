// 1/(1-x^c) as the product of (1 + x^(c*2^j)): several falling passes for each coin.
#include <iostream>
#include <vector>

int main() {
    std::ios::sync_with_stdio(false);
    int n, amount;
    std::cin >> n >> amount;
    std::vector<unsigned> ways(amount + 1);
    ways[0] = 1;
    while (n--) {
        int c;
        std::cin >> c;
        for (long long step = c; step <= amount; step *= 2)
            for (int s = amount; s >= step; s--) ways[s] = (ways[s] + ways[s - step]) % 1000000007u;
    }
    std::cout << ways[amount] << "\n";
}
