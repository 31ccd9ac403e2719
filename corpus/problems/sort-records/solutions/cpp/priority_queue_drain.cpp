// Push everything into a priority queue of (score, -index) and drain it.
#include <bits/stdc++.h>
using namespace std;

static vector<int> sort_order(const vector<int>& s) {
    priority_queue<pair<int, int>> heap;
    for (int i = 0; i < (int)s.size(); ++i) heap.push({s[i], -i});
    vector<int> order;
    while (!heap.empty()) {
        order.push_back(-heap.top().second);
        heap.pop();
    }
    return order;
}

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    vector<array<char, 13>> names(n);
    vector<int> scores(n);
    for (int i = 0; i < n; ++i)
        if (scanf("%12s %d", names[i].data(), &scores[i]) != 2) return 1;
    vector<int> order = sort_order(scores);
    for (int i = 0; i < n; ++i) printf("%d %s %d\n", i + 1, names[order[i]].data(), scores[order[i]]);
    return 0;
}
