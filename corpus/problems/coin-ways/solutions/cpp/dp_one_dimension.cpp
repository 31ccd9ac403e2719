// One row of counts.
#include <iostream>
#include <vector>

int main() {
    int n, amount;
    std::cin >> n >> amount;
    std::vector<int> ways(amount + 1);
    ways[0] = 1;
    for (int c; n > 0 && std::cin >> c; n--)
        for (int s = c; s <= amount; s++) {
            ways[s] += ways[s - c];
            if (ways[s] >= 1000000007) ways[s] -= 1000000007;
        }
    std::cout << ways[amount] << '\n';
}
