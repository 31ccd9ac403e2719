// Sieve of Sundaram with every odd step, composite or not.
#include <cstdio>
#include <vector>

int main() {
    const int m = 1000000;
    std::vector<bool> removed(m, false);
    for (int i = 1; 2LL * i * (i + 1) < m; i++)
        for (int j = i; i + j + 2LL * i * j < m; j++) removed[i + j + 2 * i * j] = true;
    std::vector<int> count(m, 0);
    count[0] = 1;                           // the prime 2
    for (int k = 1; k < m; k++) count[k] = count[k - 1] + (removed[k] ? 0 : 1);
    int q;
    if (std::scanf("%d", &q) != 1) return 0;
    for (; q > 0; q--) {
        int l, r;
        if (std::scanf("%d %d", &l, &r) != 2) return 0;
        int high = r >= 2 ? count[(r - 1) / 2] : 0;
        int low = l > 2 ? count[(l - 2) / 2] : 0;
        std::printf("%d\n", high - low);
    }
}
