// Dijkstra with std::priority_queue, outdated entries are skipped when they surface.
#include <cstdio>
#include <functional>
#include <iostream>
#include <queue>
#include <utility>
#include <vector>

int main() {
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    int n, m;
    std::cin >> n >> m;
    std::vector<std::vector<std::pair<int, int>>> roads(n + 1);
    for (int i = 0; i < m; i++) {
        int a, b, w;
        std::cin >> a >> b >> w;
        roads[a].push_back({b, w});
    }
    typedef std::pair<long long, int> Entry;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
    std::vector<long long> dist(n + 1, -1);
    queue.push({0, 1});
    while (!queue.empty()) {
        Entry top = queue.top();
        queue.pop();
        int v = top.second;
        if (dist[v] >= 0) continue;
        dist[v] = top.first;
        for (auto& road : roads[v])
            if (dist[road.first] < 0) queue.push({top.first + road.second, road.first});
    }
    for (int v = 1; v <= n; v++) std::cout << dist[v] << (v == n ? '\n' : ' ');
}
