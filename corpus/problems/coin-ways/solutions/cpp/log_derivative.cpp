// Logarithmic derivative of the generating function: s * p(s) = sum over k of d(k) * p(s - k), d(k) = sum of coins dividing k.
#include <cstdint>
#include <cstdio>
#include <vector>
using namespace std;

int main() {
    const uint64_t mod = 1000000007;
    int n, amount;
    if (scanf("%d %d", &n, &amount) != 2) return 1;
    vector<uint64_t> d(amount + 1), p(amount + 1), inv(amount + 2, 1);
    for (int i = 0, c; i < n && scanf("%d", &c) == 1; i++)
        for (int s = c; s <= amount; s += c) d[s] += c;
    for (int i = 2; i <= amount; i++) inv[i] = (mod - mod / i) * inv[mod % i] % mod;
    p[0] = 1;
    for (int s = 1; s <= amount; s++) {
        uint64_t total = 0;
        for (int from = 1; from <= s; from += 4096) {
            int to = from + 4096 <= s ? from + 4096 : s + 1;
            uint64_t part = 0;
            for (int k = from; k < to; k++) part += d[k] * p[s - k];
            total += part % mod;
        }
        p[s] = total % mod * inv[s] % mod;
    }
    printf("%llu\n", (unsigned long long)p[amount]);
}
