// Reachable sums in an unordered map.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <unordered_map>
#include <vector>
using namespace std;

int main() {
    int n, amount;
    if (scanf("%d %d", &n, &amount) != 2) return 1;
    vector<int> coins(n);
    for (int& c : coins)
        if (scanf("%d", &c) != 1) return 1;
    sort(coins.begin(), coins.end(), greater<int>());
    unordered_map<int, long long> ways;
    ways[0] = 1;
    for (int c : coins)
        for (int s = c; s <= amount; s++) {
            auto it = ways.find(s - c);
            if (it == ways.end()) continue;
            long long v = it->second;
            long long& cell = ways[s];
            cell = (cell + v) % 1000000007;
        }
    printf("%lld\n", ways.count(amount) ? ways[amount] : 0LL);
}
