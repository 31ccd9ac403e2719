// MSD radix sort: split by the top byte, recurse into each group, insertion sort for short groups.
#include <bits/stdc++.h>
using namespace std;

static void msd(vector<pair<uint32_t, int>>& a, vector<pair<uint32_t, int>>& b, int lo, int hi, int shift) {
    if (hi - lo < 24) {
        for (int i = lo + 1; i < hi; ++i) {
            auto e = a[i];
            int j = i;
            for (; j > lo && a[j - 1] > e; --j) a[j] = a[j - 1];
            a[j] = e;
        }
        return;
    }
    if (shift < 0) return;
    int count[257] = {};
    for (int i = lo; i < hi; ++i) ++count[(a[i].first >> shift & 255) + 1];
    for (int d = 0; d < 256; ++d) count[d + 1] += count[d];
    int next[256];
    copy(count, count + 256, next);
    for (int i = lo; i < hi; ++i) b[lo + next[a[i].first >> shift & 255]++] = a[i];
    copy(b.begin() + lo, b.begin() + hi, a.begin() + lo);
    for (int d = 0; d < 256; ++d)
        if (count[d + 1] - count[d] > 1) msd(a, b, lo + count[d], lo + count[d + 1], shift - 8);
}

static vector<int> sort_order(const vector<int>& s) {
    vector<pair<uint32_t, int>> a, b(s.size());
    for (size_t i = 0; i < s.size(); ++i) a.push_back({(uint32_t)(1000000000LL - s[i]), (int)i});
    msd(a, b, 0, (int)a.size(), 24);
    vector<int> order;
    for (auto& e : a) order.push_back(e.second);
    return order;
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
    string chunk;
    for (int i = 0; i < n; ++i) {
        char row[48];
        int length = snprintf(row, sizeof row, "%d %.*s %d\n", i + 1, (int)names[order[i]].size(), names[order[i]].data(), scores[order[i]]);
        chunk.append(row, length);
        if (chunk.size() > 4000) {
            fwrite(chunk.data(), 1, chunk.size(), stdout);
            chunk.clear();
        }
    }
    fwrite(chunk.data(), 1, chunk.size(), stdout);
    return 0;
}
