// A list of the distinct prime factors for every odd number up to the largest query.
#include <bits/stdc++.h>
using namespace std;

int main() {
    int q;
    scanf("%d", &q);
    vector<array<int, 2>> ask(q);
    int n = 1;
    for (auto &a : ask) {
        scanf("%d %d", &a[0], &a[1]);
        n = max(n, a[1]);
    }
    vector<vector<int>> factors(n / 2 + 1);
    vector<int> upto(n + 1, 0);
    for (int v = 2; v <= n; v++) {
        upto[v] = upto[v - 1];
        if (v == 2) upto[v]++;
        if (v % 2 == 0 || !factors[v / 2].empty()) continue;
        upto[v]++;
        for (int m = v; m <= n; m += 2 * v) factors[m / 2].push_back(v);
    }
    for (auto &a : ask) printf("%d\n", upto[a[1]] - upto[a[0] - 1]);
}
