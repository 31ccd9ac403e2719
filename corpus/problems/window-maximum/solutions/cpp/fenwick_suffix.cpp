// Fenwick tree of maxima on reversed positions; only the past is stored, so a suffix query is the window.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <vector>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, k;
    cin >> n >> k;
    vector<int> t(n + 1, -2000000000);
    for (int i = 0; i < n; i++) {
        int x;
        cin >> x;
        for (int p = n - i; p <= n; p += p & -p) t[p] = max(t[p], x);
        if (i < k - 1) continue;
        int best = x;
        for (int p = n - (i - k + 1); p > 0; p &= p - 1) best = max(best, t[p]);
        cout << best << ' ';
    }
    cout << "\n";
}
