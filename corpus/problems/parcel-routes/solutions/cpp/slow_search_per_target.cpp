// A fresh quadratic Dijkstra from node 1 for every single target.
#include <iostream>
#include <vector>
using namespace std;

static int n, m;
static vector<vector<pair<int, int>>> roads;

static long long route(int target) {
    const long long infinity = 1LL << 60;
    vector<long long> dist(n + 1, infinity);
    vector<bool> closed(n + 1, false);
    dist[1] = 0;
    for (;;) {
        int v = 0;
        for (int u = 1; u <= n; u++)
            if (!closed[u] && dist[u] < infinity && (v == 0 || dist[u] < dist[v])) v = u;
        if (v == 0) return -1;
        if (v == target) return dist[v];
        closed[v] = true;
        for (auto& road : roads[v])
            if (dist[v] + road.second < dist[road.first]) dist[road.first] = dist[v] + road.second;
    }
}

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    cin >> n >> m;
    roads.resize(n + 1);
    for (int i = 0; i < m; i++) {
        int a, b, w;
        cin >> a >> b >> w;
        roads[a].push_back({b, w});
    }
    for (int v = 1; v <= n; v++) cout << route(v) << (v == n ? '\n' : ' ');
}
