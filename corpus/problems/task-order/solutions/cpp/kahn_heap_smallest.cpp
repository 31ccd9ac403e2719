// The smallest free task first.
#include <cstdio>
#include <functional>
#include <queue>
#include <vector>
using namespace std;

int main() {
    int n, m;
    if (scanf("%d %d", &n, &m) != 2) return 0;
    vector<vector<int>> after(n);
    vector<int> need(n);
    while (m--) {
        int a, b;
        if (scanf("%d %d", &a, &b) != 2) return 0;
        after[a - 1].push_back(b - 1);
        need[b - 1]++;
    }
    priority_queue<int, vector<int>, greater<int>> heap;
    for (int v = 0; v < n; v++)
        if (need[v] == 0) heap.push(v);
    vector<int> order;
    while (!heap.empty()) {
        int v = heap.top();
        heap.pop();
        order.push_back(v);
        for (int w : after[v])
            if (--need[w] == 0) heap.push(w);
    }
    if ((int)order.size() != n) {
        printf("IMPOSSIBLE\n");
        return 0;
    }
    for (int i = 0; i < n; i++) printf("%d%c", order[i] + 1, i == n - 1 ? '\n' : ' ');
}
