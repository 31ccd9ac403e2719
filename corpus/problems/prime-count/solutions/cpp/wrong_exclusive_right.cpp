// Prefix counts of a sieve.
#include <cstdio>
#include <vector>
using namespace std;

int main() {
    const int n = 2000000;
    vector<bool> comp(n + 1, false);
    vector<int> pre(n + 2, 0);
    for (long long i = 2; i <= n; i++)
        if (!comp[i])
            for (long long j = i * i; j <= n; j += i) comp[j] = true;
    for (int i = 2; i <= n; i++) pre[i + 1] = pre[i] + !comp[i];
    int q, l, r;
    if (scanf("%d", &q) != 1) return 0;
    while (q--) {
        if (scanf("%d %d", &l, &r) != 2) return 0;
        printf("%d\n", pre[r] - pre[l]);
    }
}
