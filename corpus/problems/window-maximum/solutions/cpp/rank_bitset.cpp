// Compressed ranks with counts, and a 64-way bit tree that finds the highest rank alive.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>
using namespace std;

static uint64_t l0[2048], l1[32], l2;

int main() {
    int n, k;
    if (scanf("%d%d", &n, &k) != 2) return 1;
    vector<int> a(n);
    for (int& x : a)
        if (scanf("%d", &x) != 1) return 1;
    vector<int> v(a);
    sort(v.begin(), v.end());
    v.erase(unique(v.begin(), v.end()), v.end());
    vector<int> count(v.size());
    for (int& x : a) x = lower_bound(v.begin(), v.end(), x) - v.begin();
    for (int i = 0; i < n; i++) {
        int r = a[i];
        if (count[r]++ == 0) {
            l0[r >> 6] |= 1ull << (r & 63);
            l1[r >> 12] |= 1ull << (r >> 6 & 63);
            l2 |= 1ull << (r >> 12);
        }
        if (i >= k && --count[a[i - k]] == 0) {
            r = a[i - k];
            if (!(l0[r >> 6] &= ~(1ull << (r & 63))))
                if (!(l1[r >> 12] &= ~(1ull << (r >> 6 & 63)))) l2 &= ~(1ull << (r >> 12));
        }
        if (i < k - 1) continue;
        int x = 63 - __builtin_clzll(l2);
        x = x << 6 | (63 - __builtin_clzll(l1[x]));
        x = x << 6 | (63 - __builtin_clzll(l0[x]));
        printf("%d%c", v[x], i + 1 == n ? '\n' : ' ');
    }
}
