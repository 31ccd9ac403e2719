// Kahn's algorithm on sets of followers.
#include <iostream>
#include <set>
#include <vector>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, m;
    cin >> n >> m;
    vector<set<int>> after(n + 1);
    vector<int> need(n + 1, 0), order;
    for (int i = 0; i < m; i++) {
        int a, b;
        cin >> a >> b;
        after[a].insert(b);
        need[b]++;
    }
    for (int v = 1; v <= n; v++)
        if (need[v] == 0) order.push_back(v);
    for (size_t i = 0; i < order.size(); i++)
        for (int w : after[order[i]])
            if (--need[w] == 0) order.push_back(w);
    if ((int)order.size() < n) {
        cout << "IMPOSSIBLE\n";
        return 0;
    }
    for (int i = 0; i < n; i++) cout << order[i] << (i + 1 < n ? ' ' : '\n');
}
