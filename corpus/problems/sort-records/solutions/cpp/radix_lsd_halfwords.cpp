// LSD radix sort with radix 65536: two passes over the indices.
#include <bits/stdc++.h>
using namespace std;

static vector<int> sort_order(const vector<int>& s) {
    int n = (int)s.size();
    vector<uint32_t> key(n);
    vector<int> order(n), other(n);
    for (int i = 0; i < n; ++i) {
        key[i] = (uint32_t)(1000000000LL - s[i]);
        order[i] = i;
    }
    for (int shift : {0, 16}) {
        vector<int> start(65537, 0);
        for (uint32_t k : key) ++start[(k >> shift & 65535) + 1];
        partial_sum(start.begin(), start.end(), start.begin());
        for (int i : order) other[start[key[i] >> shift & 65535]++] = i;
        swap(order, other);
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
    for (int i = 0; i < n; ++i) {
        int k = order[i];
        cout << i + 1 << ' ' << names[k] << ' ' << scores[k] << '\n';
    }
    return 0;
}
