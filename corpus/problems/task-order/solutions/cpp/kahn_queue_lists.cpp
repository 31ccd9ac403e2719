// Kahn's algorithm, adjacency lists and a queue.
#include <iostream>
#include <queue>
#include <vector>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, m;
    cin >> n >> m;
    vector<vector<int>> after(n + 1);
    vector<int> need(n + 1, 0), order;
    for (int i = 0; i < m; i++) {
        int a, b;
        cin >> a >> b;
        after[a].push_back(b);
        need[b]++;
    }
    queue<int> ready;
    for (int v = 1; v <= n; v++)
        if (!need[v]) ready.push(v);
    while (!ready.empty()) {
        int v = ready.front();
        ready.pop();
        order.push_back(v);
        for (int w : after[v])
            if (--need[w] == 0) ready.push(w);
    }
    if ((int)order.size() < n) {
        cout << "IMPOSSIBLE\n";
        return 0;
    }
    for (int i = 0; i < n; i++) cout << order[i] << (i + 1 < n ? ' ' : '\n');
}
