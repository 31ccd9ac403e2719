// Score and index packed into one 64-bit key, plain library sort, block I/O.
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
    vector<uint64_t> keys = pack(s);
    sort(keys.begin(), keys.end());
    return unpack(keys);
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
