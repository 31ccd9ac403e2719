// Quicksort (Hoare partition, middle pivot) on packed keys; the keys are all different.
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

static void quick(uint64_t* a, long lo, long hi) {
    while (lo < hi) {
        uint64_t pivot = a[lo + (hi - lo) / 2];
        long i = lo, j = hi;
        while (i <= j) {
            while (a[i] < pivot) ++i;
            while (a[j] > pivot) --j;
            if (i <= j) swap(a[i++], a[j--]);
        }
        if (j - lo < hi - i) {
            quick(a, lo, j);
            lo = i;
        } else {
            quick(a, i, hi);
            hi = j;
        }
    }
}

static vector<int> sort_order(const vector<int>& s) {
    vector<uint64_t> keys = pack(s);
    quick(keys.data(), 0, (long)keys.size() - 1);
    return unpack(keys);
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
    vector<char> out((size_t)n * 32);
    char* q = out.data();
    for (int i = 0; i < n; ++i) {
        int k = order[i];
        q = to_chars(q, q + 12, i + 1).ptr;
        *q++ = ' ';
        memcpy(q, names[k].data(), names[k].size());
        q += names[k].size();
        *q++ = ' ';
        q = to_chars(q, q + 12, scores[k]).ptr;
        *q++ = '\n';
    }
    fwrite(out.data(), 1, q - out.data(), stdout);
    return 0;
}
