// Edges as linked lists in arrays, peeled level by level; inside a level the
// tasks come in falling order of number.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>
using namespace std;

struct Edge {
    int to, next;
};

int main() {
    int n, m;
    if (scanf("%d %d", &n, &m) != 2) return 0;
    vector<int> head(n + 1, -1), need(n + 1, 0);
    vector<Edge> edges;
    edges.reserve(m);
    for (int i = 0; i < m; i++) {
        int a, b;
        if (scanf("%d %d", &a, &b) != 2) return 0;
        edges.push_back({b, head[a]});
        head[a] = i;
        need[b]++;
    }
    vector<int> level, next, order;
    for (int v = 1; v <= n; v++)
        if (need[v] == 0) level.push_back(v);
    while (!level.empty()) {
        sort(level.begin(), level.end(), greater<int>());
        next.clear();
        for (int v : level) {
            order.push_back(v);
            for (int e = head[v]; e >= 0; e = edges[e].next)
                if (--need[edges[e].to] == 0) next.push_back(edges[e].to);
        }
        level.swap(next);
    }
    if ((int)order.size() < n) return puts("IMPOSSIBLE"), 0;
    for (int i = 0; i < n; i++) printf(i ? " %d" : "%d", order[i]);
    puts("");
}
