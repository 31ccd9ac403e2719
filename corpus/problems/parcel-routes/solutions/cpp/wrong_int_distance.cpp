// Dijkstra with distances in 32 bits.
#include <iostream>
#include <queue>
#include <vector>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, m;
    cin >> n >> m;
    vector<vector<pair<int, int>>> roads(n + 1);
    for (int i = 0; i < m; i++) {
        int a, b, w;
        cin >> a >> b >> w;
        roads[a].push_back({b, w});
    }
    const int infinity = 2147483647;
    vector<int> dist(n + 1, infinity);
    vector<bool> closed(n + 1, false);
    priority_queue<pair<int, int>, vector<pair<int, int>>, greater<pair<int, int>>> queue;
    dist[1] = 0;
    queue.push({0, 1});
    while (!queue.empty()) {
        int v = queue.top().second;
        queue.pop();
        if (closed[v]) continue;
        closed[v] = true;
        for (auto& road : roads[v]) {
            int t = dist[v] + road.second;
            if (!closed[road.first] && t < dist[road.first]) {
                dist[road.first] = t;
                queue.push({t, road.first});
            }
        }
    }
    for (int v = 1; v <= n; v++) cout << (dist[v] == infinity ? -1 : dist[v]) << (v == n ? '\n' : ' ');
}
