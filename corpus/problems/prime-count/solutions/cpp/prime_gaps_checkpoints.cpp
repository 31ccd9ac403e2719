// Gaps between primes as bytes with a checkpoint every 64 primes.
#include <algorithm>
#include <cstdio>
#include <vector>
using namespace std;

static vector<unsigned char> gaps;
static vector<int> marks;

static int pi(int x) {
    if (x < 2) return 0;
    size_t b = upper_bound(marks.begin(), marks.end(), x) - marks.begin() - 1;
    int v = marks[b];
    size_t k = b * 64 + 1;
    while (k < gaps.size() && v + gaps[k] <= x) v += gaps[k++];
    return (int)k;
}

int main() {
    const int n = 2000000, width = 1 << 16;
    vector<int> base;
    for (int p = 3; p * p <= n; p += 2) {
        bool ok = true;
        for (int d : base) if (d * d <= p && p % d == 0) ok = false;
        if (ok) base.push_back(p);
    }
    int last = 2;
    gaps.push_back(0);
    marks.push_back(2);
    vector<bool> hit;
    for (int low = 0; low <= n; low += width) {
        hit.assign(width, false);
        for (int p : base) {
            int s = max(p * p, (low + p - 1) / p * p);
            if (s % 2 == 0) s += p;
            for (; s < low + width; s += 2 * p) hit[s - low] = true;
        }
        for (int v = max(3, low + 1); v < low + width && v <= n; v += 2) {
            if (hit[v - low]) continue;
            if (gaps.size() % 64 == 0) marks.push_back(v);
            gaps.push_back((unsigned char)(v - last));
            last = v;
        }
    }
    int q, l, r;
    if (scanf("%d", &q) != 1) return 0;
    while (q--) {
        if (scanf("%d %d", &l, &r) != 2) return 0;
        printf("%d\n", pi(r) - pi(l - 1));
    }
}
