// Heap sort by hand on packed keys.
#include <bits/stdc++.h>
using namespace std;

static int read_int() {
    int c = getchar_unlocked();
    while (c != '-' && (c < '0' || c > '9')) c = getchar_unlocked();
    bool negative = c == '-';
    if (negative) c = getchar_unlocked();
    int value = 0;
    for (; c >= '0' && c <= '9'; c = getchar_unlocked()) value = value * 10 + (c - '0');
    return negative ? -value : value;
}

static string read_word() {
    string word;
    int c = getchar_unlocked();
    while (c <= ' ') c = getchar_unlocked();
    for (; c > ' '; c = getchar_unlocked()) word.push_back((char)c);
    return word;
}

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

static void sift(vector<uint64_t>& h, size_t root, size_t size) {
    uint64_t value = h[root];
    for (size_t child; (child = 2 * root + 1) < size; root = child) {
        if (child + 1 < size && h[child + 1] > h[child]) ++child;
        if (h[child] <= value) break;
        h[root] = h[child];
    }
    h[root] = value;
}

static vector<int> sort_order(const vector<int>& s) {
    vector<uint64_t> h = pack(s);
    for (size_t i = h.size() / 2; i-- > 0;) sift(h, i, h.size());
    for (size_t end = h.size() - 1; end > 0; --end) {
        swap(h[0], h[end]);
        sift(h, 0, end);
    }
    return unpack(h);
}

int main() {
    int n = read_int();
    vector<string> names(n);
    vector<int> scores(n);
    for (int i = 0; i < n; ++i) {
        names[i] = read_word();
        scores[i] = read_int();
    }
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
