// Sorted end points and a 16 KiB window of odd numbers sliding over the range.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>
using namespace std;

int main() {
    int q;
    if (scanf("%d", &q) != 1) return 0;
    vector<pair<int, int>> events;
    events.reserve(2 * q);
    for (int i = 0; i < q; i++) {
        int l, r;
        if (scanf("%d %d", &l, &r) != 2) return 0;
        events.push_back({l - 1, ~i});
        events.push_back({r, i});
    }
    sort(events.begin(), events.end());
    vector<int> ans(q, 0);
    vector<pair<int, int>> strides;       // prime, next odd index to strike
    for (int p = 3; p < 1415; p += 2) {
        bool ok = true;
        for (auto &s : strides)
            if (p % s.first == 0) { ok = false; break; }
        if (ok) strides.push_back({p, p * p / 2});
    }
    const int SEG = 1 << 14;
    static unsigned char seg[SEG];
    int low = 0, total = 1;
    size_t e = 0;
    while (e < events.size() && events[e].first < 2) e++;
    while (e < events.size()) {
        memset(seg, 1, SEG);
        if (low == 0) seg[0] = 0;
        for (auto &s : strides) {
            int j = s.second - low;
            for (; j < SEG; j += s.first) seg[j] = 0;
            s.second = low + j;
        }
        int at = 0;
        for (; e < events.size(); e++) {
            int stop = (events[e].first + 1) / 2 - low;
            if (stop > SEG) break;
            while (at < stop) total += seg[at++];
            if (events[e].second >= 0) ans[events[e].second] += total;
            else ans[~events[e].second] -= total;
        }
        while (at < SEG) total += seg[at++];
        low += SEG;
    }
    for (int v : ans) printf("%d\n", v);
}
