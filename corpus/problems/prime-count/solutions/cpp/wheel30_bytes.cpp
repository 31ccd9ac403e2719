// One byte holds the eight candidates of a block of 30 numbers.
#include <cstdio>
#include <cstring>
#include <cstdlib>

static const int N = 2000000;
static const int B = N / 30 + 2;
static const int RES[8] = {1, 7, 11, 13, 17, 19, 23, 29};
static unsigned char comp[B];
static int before[B / 16 + 2];
static unsigned char bit_of[30];
static unsigned char below[30];

static int pi(int x) {
    if (x < 7) return (x >= 2) + (x >= 3) + (x >= 5);
    int b = x / 30, t = 3 + before[b >> 4];
    for (int i = b & ~15; i < b; i++) t += 8 - __builtin_popcount(comp[i]);
    return t + __builtin_popcount(~comp[b] & below[x % 30]);
}

int main() {
    int mask = 0;
    for (int m = 0, i = 0; m < 30; m++) {
        if (i < 8 && RES[i] == m) {
            bit_of[m] = 1 << i;
            mask |= 1 << i;
            i++;
        }
        below[m] = mask;
    }
    comp[0] = 1;
    for (int b = 0; 30 * b < 1415; b++)
        for (int i = 0; i < 8; i++) {
            if (comp[b] >> i & 1) continue;
            int p = 30 * b + RES[i];
            for (int j = 0; j < 8; j++) {
                int c = p - p % 30 + RES[j];
                if (c < p) c += 30;
                int m = p * c;
                unsigned char bit = bit_of[m % 30];
                for (int k = m / 30; k < B; k += p) comp[k] |= bit;
            }
        }
    for (int g = 0; g * 16 < B; g++) {
        int t = 0;
        for (int i = 0; i < 16 && g * 16 + i < B; i++) t += 8 - __builtin_popcount(comp[g * 16 + i]);
        before[g + 1] = before[g] + t;
    }
    int q, l, r;
    if (scanf("%d", &q) != 1) return 0;
    while (q--) {
        if (scanf("%d %d", &l, &r) != 2) return 1;
        printf("%d\n", pi(r) - pi(l - 1));
    }
    return 0;
}
