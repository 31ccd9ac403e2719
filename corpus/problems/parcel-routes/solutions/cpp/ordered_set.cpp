// Dijkstra with a balanced tree as queue: a node is erased and inserted anew when its distance shrinks.
#include <iostream>
#include <list>
#include <map>
#include <set>
#include <utility>
#include <vector>
using namespace std;

struct Road {
    int to;
    long long length;
};

int main() {
    int n, m;
    cin >> n >> m;
    map<int, list<Road>> roads;
    for (int i = 0; i < m; i++) {
        int a, b, w;
        cin >> a >> b >> w;
        roads[a].push_back(Road{b, w});
    }
    map<int, long long> dist;
    set<pair<long long, int>> open;
    dist[1] = 0;
    open.insert(make_pair(0LL, 1));
    while (!open.empty()) {
        pair<long long, int> first = *open.begin();
        open.erase(open.begin());
        auto here = roads.find(first.second);
        if (here == roads.end()) continue;
        for (const Road& road : here->second) {
            long long t = first.first + road.length;
            auto old = dist.find(road.to);
            if (old == dist.end()) {
                dist[road.to] = t;
                open.insert(make_pair(t, road.to));
            } else if (t < old->second) {
                open.erase(make_pair(old->second, road.to));
                old->second = t;
                open.insert(make_pair(t, road.to));
            }
        }
    }
    for (int v = 1; v <= n; v++) {
        auto it = dist.find(v);
        if (v > 1) cout << ' ';
        if (it == dist.end()) cout << -1;
        else cout << it->second;
    }
    cout << endl;
}
