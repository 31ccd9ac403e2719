// Tournament tree over the indices: take the winner, replay its path.
#include <bits/stdc++.h>
using namespace std;

static string slurp() {
    string text;
    size_t used = 0, got = 0;
    do {
        used += got;
        text.resize(used + (1 << 18));
        got = fread(&text[used], 1, text.size() - used, stdin);
    } while (got > 0);
    text.resize(used);
    return text;
}

static long next_int(const char*& p) {
    while (*p <= ' ') ++p;
    bool negative = *p == '-';
    if (negative) ++p;
    long value = 0;
    while (*p >= '0' && *p <= '9') value = value * 10 + (*p++ - '0');
    return negative ? -value : value;
}

static vector<int> sort_order(const vector<int>& s) {
    int n = (int)s.size(), leaves = 1;
    while (leaves < n) leaves *= 2;
    vector<int> winner(2 * leaves, -1);
    auto better = [&](int left, int right) {
        if (left < 0) return right;
        if (right < 0) return left;
        return s[left] >= s[right] ? left : right;
    };
    for (int i = 0; i < n; ++i) winner[leaves + i] = i;
    for (int v = leaves - 1; v > 0; --v) winner[v] = better(winner[2 * v], winner[2 * v + 1]);
    vector<int> order(n);
    for (int& slot : order) {
        slot = winner[1];
        int v = leaves + slot;
        winner[v] = -1;
        for (v /= 2; v > 0; v /= 2) winner[v] = better(winner[2 * v], winner[2 * v + 1]);
    }
    return order;
}

int main() {
    string text = slurp();
    const char* p = text.c_str();
    int n = (int)next_int(p);
    vector<string_view> names(n);
    vector<int> scores(n);
    for (int i = 0; i < n; ++i) {
        while (*p <= ' ') ++p;
        const char* start = p;
        while (*p > ' ') ++p;
        names[i] = string_view(start, p - start);
        scores[i] = (int)next_int(p);
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
