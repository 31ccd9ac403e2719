// Spread the records over n buckets by interpolation, sort each bucket, join them.
#include <bits/stdc++.h>
using namespace std;

static vector<int> sort_order(const vector<int>& s) {
    long long n = (long long)s.size();
    long long top = *max_element(s.begin(), s.end()), bottom = *min_element(s.begin(), s.end());
    vector<vector<int>> buckets(n);
    for (int i = 0; i < n; ++i) buckets[(top - s[i]) * (n - 1) / max(1LL, top - bottom)].push_back(i);
    vector<int> order;
    for (auto& bucket : buckets) {
        if (bucket.size() > 1) stable_sort(bucket.begin(), bucket.end(), [&](int a, int b) { return s[a] > s[b]; });
        order.insert(order.end(), bucket.begin(), bucket.end());
    }
    return order;
}

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n;
    cin >> n;
    vector<string> names(n);
    vector<int> scores(n);
    for (int i = 0; i < n; ++i) cin >> names[i] >> scores[i];
    vector<int> order = sort_order(scores);
    string out;
    for (int i = 0; i < n; ++i) {
        int k = order[i];
        out += to_string(i + 1) + " " + string(names[k]) + " " + to_string(scores[k]) + "\n";
    }
    cout << out;
    return 0;
}
