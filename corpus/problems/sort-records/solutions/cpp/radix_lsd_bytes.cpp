// LSD radix sort of the indices, four passes of one byte.
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
    size_t n = s.size();
    vector<pair<uint32_t, int>> a(n), b(n);
    for (size_t i = 0; i < n; ++i) a[i] = {(uint32_t)(1000000000 - (long long)s[i]), (int)i};
    for (int shift = 0; shift < 32; shift += 8) {
        size_t start[257] = {};
        for (auto& e : a) ++start[(e.first >> shift & 255) + 1];
        for (int d = 0; d < 256; ++d) start[d + 1] += start[d];
        for (auto& e : a) b[start[e.first >> shift & 255]++] = e;
        a.swap(b);
    }
    vector<int> order(n);
    for (size_t i = 0; i < n; ++i) order[i] = a[i].second;
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
