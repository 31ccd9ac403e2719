// Depth-first search with its own stack, answer filled from the back.
#include <iostream>
#include <string>
#include <utility>
#include <vector>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, m;
    cin >> n >> m;
    vector<vector<int>> after(n + 1);
    for (int i = 0, a, b; i < m; i++) {
        cin >> a >> b;
        after[a].push_back(b);
    }
    vector<char> state(n + 1, 0);
    vector<int> order(n);
    int slot = n;
    vector<pair<int, size_t>> path;
    for (int root = n; root >= 1; root--) {
        if (state[root]) continue;
        path.push_back({root, 0});
        state[root] = 1;
        while (!path.empty()) {
            int v = path.back().first;
            if (path.back().second == after[v].size()) {
                state[v] = 2;
                order[--slot] = v;
                path.pop_back();
                continue;
            }
            int w = after[v][path.back().second++];
            if (state[w] == 1) {
                cout << "IMPOSSIBLE" << endl;
                return 0;
            }
            if (state[w] == 0) {
                state[w] = 1;
                path.push_back({w, 0});
            }
        }
    }
    string text;
    for (int v : order) text += to_string(v) + " ";
    text.back() = '\n';
    cout << text;
}
