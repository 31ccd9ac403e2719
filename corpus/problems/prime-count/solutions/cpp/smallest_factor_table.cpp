// Smallest prime factor of every number, plus 64-bit prefix counts.
#include <cstdio>
#include <numeric>
#include <vector>
using namespace std;

int main() {
    const int n = 2000000;
    vector<int> spf(n + 1);
    iota(spf.begin(), spf.end(), 0);
    for (int i = 2; i * i <= n; i++) {
        if (spf[i] != i) continue;
        for (int j = i * i; j <= n; j += i)
            if (spf[j] == j) spf[j] = i;
    }
    vector<long long> pre(n + 1, 0);
    for (int i = 2; i <= n; i++) pre[i] = pre[i - 1] + (spf[i] == i);
    int q;
    if (scanf("%d", &q) != 1) return 0;
    while (q--) {
        int l, r;
        if (scanf("%d%d", &l, &r) != 2) return 0;
        printf("%lld\n", pre[r] - pre[l - 1]);
    }
}
