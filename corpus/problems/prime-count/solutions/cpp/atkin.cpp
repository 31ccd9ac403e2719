// Sieve of Atkin: parity of the representations by three quadratic forms.
#include <bits/stdc++.h>
using namespace std;

int main() {
    const long long n = 2000000;
    vector<char> f(n + 1, 0);
    for (long long x = 1; x * x <= n; x++)
        for (long long y = 1; y * y <= n; y++) {
            long long a = 4 * x * x + y * y;
            if (a <= n && (a % 12 == 1 || a % 12 == 5)) f[a] ^= 1;
            a = 3 * x * x + y * y;
            if (a <= n && a % 12 == 7) f[a] ^= 1;
            a = 3 * x * x - y * y;
            if (x > y && a <= n && a % 12 == 11) f[a] ^= 1;
        }
    for (long long p = 5; p * p <= n; p++)
        if (f[p])
            for (long long s = p * p; s <= n; s += p * p) f[s] = 0;
    f[2] = f[3] = 1;
    vector<int> pre(n + 1, 0);
    for (int i = 2; i <= n; i++) pre[i] = pre[i - 1] + f[i];
    int q, l, r;
    cin >> q;
    while (q--) {
        cin >> l >> r;
        cout << pre[r] - pre[l - 1] << "\n";
    }
}
