// A strong probable prime test to bases 2, 3 and 5 for every odd number that has
// no tiny factor; exact far beyond this range.
#include <cstdint>
#include <cstdio>
#include <vector>

static uint32_t power(uint32_t b, uint32_t e, uint32_t m) {
    uint64_t r = 1, x = b;
    for (; e; e >>= 1) {
        if (e & 1) r = r * x % m;
        x = x * x % m;
    }
    return (uint32_t)r;
}

static bool strong(uint32_t n, uint32_t base) {
    uint32_t d = n - 1;
    int s = 0;
    while (d % 2 == 0) d /= 2, s++;
    uint64_t x = power(base, d, n);
    if (x == 1 || x == n - 1) return true;
    while (--s > 0) {
        x = x * x % n;
        if (x == n - 1) return true;
    }
    return false;
}

static bool is_prime(uint32_t n) {
    static const uint32_t tiny[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31};
    if (n < 2) return false;
    for (uint32_t p : tiny)
        if (n % p == 0) return n == p;
    return strong(n, 2) && strong(n, 3) && (n < 1373653 || strong(n, 5));
}

int main() {
    const int n = 2000000;
    std::vector<int> odd(n / 2 + 1, 0);
    odd[0] = 1;
    for (int k = 1; k <= n / 2; k++) odd[k] = odd[k - 1] + is_prime(2 * k + 1);
    auto pi = [&](int x) { return x < 2 ? 0 : odd[(x - 1) / 2]; };
    int q, l, r;
    if (scanf("%d", &q) != 1) return 0;
    while (q--) {
        if (scanf("%d %d", &l, &r) != 2) return 0;
        printf("%d\n", pi(r) - pi(l - 1));
    }
}
