// Recounts the open prerequisites of all tasks for every task that is placed.
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>
using namespace std;

int main() {
    int n, m;
    if (scanf("%d %d", &n, &m) != 2) return 0;
    vector<pair<int, int>> edges(m);
    for (auto &e : edges)
        if (scanf("%d %d", &e.first, &e.second) != 2) return 0;
    vector<int> waits(n + 1), open(n + 1, 1), order;
    while ((int)order.size() < n) {
        fill(waits.begin(), waits.end(), 0);
        for (auto &e : edges) waits[e.second] += open[e.first];
        int v = 1;
        while (v <= n && (!open[v] || waits[v])) v++;
        if (v > n) {
            puts("IMPOSSIBLE");
            return 0;
        }
        open[v] = 0;
        order.push_back(v);
    }
    for (int i = 0; i < n; i++) printf("%d%c", order[i], i + 1 < n ? ' ' : '\n');
}
