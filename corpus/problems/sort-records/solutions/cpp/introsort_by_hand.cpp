// Introsort: median-of-three quicksort, heap sort when too deep, one insertion pass at the end.
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

static void intro(vector<uint64_t>& a, int lo, int hi, int depth) {
    while (hi - lo > 16) {
        if (depth-- == 0) {
            make_heap(a.begin() + lo, a.begin() + hi);
            sort_heap(a.begin() + lo, a.begin() + hi);
            return;
        }
        uint64_t x = a[lo], y = a[(lo + hi) / 2], z = a[hi - 1];
        uint64_t pivot = max(min(x, y), min(max(x, y), z));
        int i = lo - 1, j = hi;
        for (;;) {
            do ++i; while (a[i] < pivot);
            do --j; while (a[j] > pivot);
            if (i >= j) break;
            swap(a[i], a[j]);
        }
        intro(a, j + 1, hi, depth);
        hi = j + 1;
    }
}

static vector<int> sort_order(const vector<int>& s) {
    vector<uint64_t> a = pack(s);
    intro(a, 0, (int)a.size(), 40);
    for (size_t i = 1; i < a.size(); ++i) {
        uint64_t key = a[i];
        size_t j = i;
        for (; j > 0 && a[j - 1] > key; --j) a[j] = a[j - 1];
        a[j] = key;
    }
    return unpack(a);
}

int main() {
    ios::sync_with_stdio(false);
    string line;
    getline(cin, line);
    int n = stoi(line);
    vector<string> names;
    vector<int> scores;
    while (n-- > 0 && getline(cin, line)) {
        size_t gap = line.find(' ');
        names.push_back(line.substr(0, gap));
        scores.push_back(stoi(line.substr(gap + 1)));
    }
    n = (int)names.size();
    vector<int> order = sort_order(scores);
    ostringstream out;
    int place = 0;
    for (int k : order) out << ++place << " " << names[k] << " " << scores[k] << "\n";
    fputs(out.str().c_str(), stdout);
    return 0;
}
