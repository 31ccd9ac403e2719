// Sort a permutation of indices; the index breaks ties.
#include <bits/stdc++.h>
using namespace std;

static vector<int> sort_order(const vector<int>& s) {
    vector<int> order(s.size());
    iota(order.begin(), order.end(), 0);
    sort(order.begin(), order.end(), [&](int a, int b) { return s[a] != s[b] ? s[a] > s[b] : a < b; });
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
