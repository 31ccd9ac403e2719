// Maps of sets: every task knows its open prerequisites and its followers.
#include <iostream>
#include <map>
#include <set>
#include <vector>
using namespace std;

int main() {
    int n, m;
    cin >> n >> m;
    map<int, set<int>> before, after;
    for (int v = 1; v <= n; v++) before[v];
    for (int i = 0; i < m; i++) {
        int a, b;
        cin >> a >> b;
        before[b].insert(a);
        after[a].insert(b);
    }
    set<int> ready;
    for (auto &e : before)
        if (e.second.empty()) ready.insert(e.first);
    vector<int> order;
    while (!ready.empty()) {
        int v = *ready.rbegin();
        ready.erase(v);
        order.push_back(v);
        for (int w : after[v]) {
            before[w].erase(v);
            if (before[w].empty()) ready.insert(w);
        }
    }
    if ((int)order.size() != n) {
        cout << "IMPOSSIBLE\n";
    } else {
        for (int i = 0; i < n; i++) cout << (i ? " " : "") << order[i];
        cout << "\n";
    }
}
