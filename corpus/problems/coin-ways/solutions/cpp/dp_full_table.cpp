// Table of coins by sums with 64-bit cells and remainders.
#include <cstdio>
#include <vector>
using namespace std;

int main() {
    int n, amount;
    if (scanf("%d %d", &n, &amount) != 2) return 1;
    vector<vector<long long>> t(n + 1, vector<long long>(amount + 1));
    t[0][0] = 1;
    for (int i = 1; i <= n; i++) {
        int c;
        if (scanf("%d", &c) != 1) return 1;
        for (int s = 0; s <= amount; s++) t[i][s] = (t[i - 1][s] + (s >= c ? t[i][s - c] : 0)) % 1000000007;
    }
    printf("%lld\n", t[n][amount]);
}
