// Compress the scores to ranks, then one stable counting pass over the ranks.
#include <bits/stdc++.h>
using namespace std;

static vector<int> sort_order(const vector<int>& s) {
    vector<int> distinct(s);
    sort(distinct.begin(), distinct.end(), greater<int>());
    distinct.erase(unique(distinct.begin(), distinct.end()), distinct.end());
    unordered_map<int, int> rank;
    for (int r = 0; r < (int)distinct.size(); ++r) rank[distinct[r]] = r;
    vector<int> start(distinct.size() + 1, 0), order(s.size());
    for (int x : s) ++start[rank[x] + 1];
    for (size_t r = 1; r < start.size(); ++r) start[r] += start[r - 1];
    for (int i = 0; i < (int)s.size(); ++i) order[start[rank[s[i]]]++] = i;
    return order;
}

int main() {
    int n;
    cin >> n;
    vector<string> names(n);
    vector<int> scores(n);
    for (int i = 0; i < n; ++i) cin >> names[i] >> scores[i];
    vector<int> order = sort_order(scores);
    for (int i = 0; i < n; ++i) printf("%d %s %d\n", i + 1, names[order[i]].c_str(), scores[order[i]]);
    return 0;
}
