// Dijkstra without a queue: scan all open nodes for the nearest one, n times.
#include <cstdio>
#include <vector>
using namespace std;

int main() {
    int n, m;
    if (scanf("%d %d", &n, &m) != 2) return 0;
    vector<vector<int>> targets(n), lengths(n);
    for (int i = 0; i < m; i++) {
        int a, b, w;
        if (scanf("%d %d %d", &a, &b, &w) != 3) return 0;
        targets[a - 1].push_back(b - 1);
        lengths[a - 1].push_back(w);
    }
    const long long infinity = 1LL << 60;
    vector<long long> dist(n, infinity);
    vector<char> closed(n, 0);
    dist[0] = 0;
    for (int round = 0; round < n; round++) {
        int v = -1;
        for (int u = 0; u < n; u++)
            if (!closed[u] && dist[u] < infinity && (v < 0 || dist[u] < dist[v])) v = u;
        if (v < 0) break;
        closed[v] = 1;
        for (size_t k = 0; k < targets[v].size(); k++) {
            long long t = dist[v] + lengths[v][k];
            if (t < dist[targets[v][k]]) dist[targets[v][k]] = t;
        }
    }
    for (int v = 0; v < n; v++) printf("%lld%c", dist[v] == infinity ? -1LL : dist[v], v + 1 == n ? '\n' : ' ');
}
