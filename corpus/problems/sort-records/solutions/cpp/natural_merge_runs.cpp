// Natural merge sort: find the runs that are there, turn rising ones around, merge neighbours.
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

static void put_int(int value) {
    char digits[12];
    int length = 0;
    unsigned rest = value < 0 ? 0u - (unsigned)value : (unsigned)value;
    if (value < 0) putchar_unlocked('-');
    do digits[length++] = (char)('0' + rest % 10); while (rest /= 10);
    while (length) putchar_unlocked(digits[--length]);
}

static vector<int> sort_order(const vector<int>& s) {
    int n = (int)s.size();
    vector<int> a(n), buffer(n);
    iota(a.begin(), a.end(), 0);
    vector<int> bounds;
    for (int i = 0; i < n;) {
        bounds.push_back(i);
        int j = i + 1;
        if (j < n && s[j] > s[i]) {
            while (j < n && s[j] > s[j - 1]) ++j;
            reverse(a.begin() + i, a.begin() + j);
        } else {
            while (j < n && s[j] <= s[j - 1]) ++j;
        }
        i = j;
    }
    bounds.push_back(n);
    while (bounds.size() > 2) {
        vector<int> next;
        size_t r = 0;
        for (; r + 2 < bounds.size(); r += 2) {
            int lo = bounds[r], mid = bounds[r + 1], hi = bounds[r + 2];
            merge(a.begin() + lo, a.begin() + mid, a.begin() + mid, a.begin() + hi, buffer.begin() + lo,
                  [&](int x, int y) { return s[x] > s[y]; });
            copy(buffer.begin() + lo, buffer.begin() + hi, a.begin() + lo);
            next.push_back(lo);
        }
        for (; r < bounds.size(); ++r) next.push_back(bounds[r]);
        bounds = next;
    }
    return a;
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
    for (int i = 0; i < n; ++i) {
        put_int(i + 1);
        putchar_unlocked(' ');
        for (char c : names[order[i]]) putchar_unlocked(c);
        putchar_unlocked(' ');
        put_int(scores[order[i]]);
        putchar_unlocked('\n');
    }
    return 0;
}
