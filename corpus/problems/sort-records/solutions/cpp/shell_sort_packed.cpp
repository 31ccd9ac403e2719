// Shell sort with the Ciura gaps on packed keys.
#include <bits/stdc++.h>
using namespace std;

static vector<uint64_t> pack(const vector<int>& s) {
    vector<uint64_t> keys(s.size());
    for (size_t i = 0; i < s.size(); ++i) keys[i] = (uint64_t)(1000000000LL - s[i]) << 16 | i;
    return keys;
}

static vector<int> unpack(const vector<uint64_t>& keys) {
    vector<int> order(keys.size());
    for (size_t i = 0; i < keys.size(); ++i) order[i] = (int)(keys[i] & 0xffff);
    return order;
}

static vector<int> sort_order(const vector<int>& s) {
    vector<uint64_t> a = pack(s);
    for (size_t gap : {29524, 13122, 8858, 3937, 1750, 701, 301, 132, 57, 23, 10, 4, 1}) {
        for (size_t i = gap; i < a.size(); ++i) {
            uint64_t key = a[i];
            size_t j = i;
            for (; j >= gap && a[j - gap] > key; j -= gap) a[j] = a[j - gap];
            a[j] = key;
        }
    }
    return unpack(a);
}

int main() {
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
