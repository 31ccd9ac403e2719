// Incremental sieve: a heap holds the next odd multiple of every base prime, so
// the numbers are visited in order with almost no memory.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <queue>
#include <utility>
#include <vector>
using namespace std;

int main() {
    int q;
    if (scanf("%d", &q) != 1) return 0;
    vector<pair<int, int>> ends;
    for (int i = 0; i < q; i++) {
        int l, r;
        if (scanf("%d %d", &l, &r) != 2) return 0;
        ends.emplace_back(l - 1, 2 * i);
        ends.emplace_back(r, 2 * i + 1);
    }
    sort(ends.begin(), ends.end());
    vector<int> pi(2 * q);
    priority_queue<pair<int, int>, vector<pair<int, int>>, greater<pair<int, int>>> next;
    int v = 1, count = 0;
    for (auto &e : ends) {
        if (e.first >= 2 && count == 0) count = 1;
        while (v + 2 <= e.first) {
            v += 2;
            if (next.empty() || next.top().first != v) {
                count++;
                if (v < 1415) next.push({v * v, v});
                continue;
            }
            while (next.top().first == v) {
                auto t = next.top();
                next.pop();
                next.push({v + 2 * t.second, t.second});
            }
        }
        pi[e.second] = count;
    }
    for (int i = 0; i < q; i++) printf("%d\n", pi[2 * i + 1] - pi[2 * i]);
}
