// Tournament tree over a ring of k slots: the newest value replaces the oldest one.
#include <algorithm>
#include <climits>
#include <cstdio>
#include <vector>

static int read_int() {
    int c = getchar_unlocked();
    while (c != '-' && (c < '0' || c > '9')) c = getchar_unlocked();
    bool neg = c == '-';
    if (neg) c = getchar_unlocked();
    int x = 0;
    for (; c >= '0' && c <= '9'; c = getchar_unlocked()) x = 10 * x + c - '0';
    return neg ? -x : x;
}

int main() {
    int n = read_int(), k = read_int();
    int size = 1;
    while (size < k) size *= 2;
    std::vector<int> t(2 * size, INT_MIN);
    int slot = 0;
    for (int i = 0; i < n; i++) {
        int p = size + slot;
        t[p] = read_int();
        for (p /= 2; p; p /= 2) t[p] = std::max(t[2 * p], t[2 * p + 1]);
        if (++slot == k) slot = 0;
        if (i >= k - 1) printf("%d%c", t[1], i + 1 == n ? '\n' : ' ');
    }
}
