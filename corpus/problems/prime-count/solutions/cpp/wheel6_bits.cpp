// Wheel modulo 6: index k stands for 3k + 1 + (k odd), i.e. 1, 5, 7, 11, 13, ...
#include <cstdint>
#include <cstdio>
#include <vector>
using namespace std;

static const int N = 2000000;
static const int K = N / 3 + 2;

static int value(int k) { return 3 * k + 1 + (k & 1); }

int main() {
    vector<uint32_t> comp(K / 32 + 2, 0), seen(K / 32 + 3, 0);
    comp[0] = 1;
    for (int k = 1; value(k) * value(k) <= N; k++) {
        if (comp[k >> 5] >> (k & 31) & 1) continue;
        int p = value(k);
        // cofactors p, p+2/4, ... alternate between the two residues
        for (int c = p, step = (p % 6 == 1) ? 4 : 2; (long long)p * c <= N; c += step, step = 6 - step) {
            int j = p * c / 3;
            comp[j >> 5] |= 1u << (j & 31);
        }
    }
    for (size_t w = 0; w < comp.size(); w++) seen[w + 1] = seen[w] + __builtin_popcount(~comp[w]);
    auto pi = [&](int x) {
        if (x < 3) return x == 2 ? 1 : 0;
        // how many wheel values are <= x
        int e = x / 6 * 2 + (x % 6 >= 1) + (x % 6 >= 5);
        int t = seen[e >> 5];
        if (e & 31) t += __builtin_popcount(~comp[e >> 5] & ((1u << (e & 31)) - 1));
        return t + 2;
    };
    int q, l, r;
    if (scanf("%d", &q) != 1) return 0;
    while (q-- > 0 && scanf("%d%d", &l, &r) == 2) printf("%d\n", pi(r) - pi(l - 1));
}
