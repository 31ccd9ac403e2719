// Harmonic sum: count all divisors of every number; a prime has exactly two.
#include <cstdio>
#include <vector>

int main() {
    const int n = 2000000;
    std::vector<int> divisors(n + 1, 0);
    for (int d = 1; d <= n; d++)
        for (int m = d; m <= n; m += d) divisors[m]++;
    std::vector<int> pre(n + 1, 0);
    for (int v = 1; v <= n; v++) pre[v] = pre[v - 1] + (divisors[v] == 2);
    int q, l, r;
    if (scanf("%d", &q) != 1) return 0;
    while (q-- && scanf("%d %d", &l, &r) == 2) printf("%d\n", pre[r] - pre[l - 1]);
}
