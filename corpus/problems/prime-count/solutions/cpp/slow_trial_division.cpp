// Tests every number of every query by trial division.
#include <cstdio>

static bool is_prime(int v) {
    if (v < 2) return false;
    for (int d = 2; d * d <= v; d++)
        if (v % d == 0) return false;
    return true;
}

int main() {
    int q;
    if (scanf("%d", &q) != 1) return 0;
    while (q--) {
        int l, r, c = 0;
        if (scanf("%d %d", &l, &r) != 2) return 0;
        for (int v = l; v <= r; v++) c += is_prime(v);
        printf("%d\n", c);
    }
}
