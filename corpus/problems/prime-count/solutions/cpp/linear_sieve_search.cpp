// Euler's linear sieve; the list of primes is searched.
#include <bits/stdc++.h>
using namespace std;

int main() {
    ios_base::sync_with_stdio(false);
    cin.tie(0);
    const int n = 2000000;
    vector<int> primes;
    vector<bool> comp(n + 1);
    for (int i = 2; i <= n; ++i) {
        if (!comp[i]) primes.push_back(i);
        for (int p : primes) {
            if (1LL * p * i > n) break;
            comp[p * i] = true;
            if (i % p == 0) break;
        }
    }
    int q;
    cin >> q;
    for (int i = 0; i < q; ++i) {
        int l, r;
        cin >> l >> r;
        cout << upper_bound(primes.begin(), primes.end(), r) - lower_bound(primes.begin(), primes.end(), l) << '\n';
    }
}
