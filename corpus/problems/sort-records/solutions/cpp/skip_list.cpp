// Insert into a skip list behind all records that are not smaller.
#include <bits/stdc++.h>
using namespace std;

static vector<int> sort_order(const vector<int>& s) {
    const int LEVELS = 16;
    int n = (int)s.size(), head = n;
    vector<array<int, LEVELS>> next(n + 1);
    next[head].fill(-1);
    unsigned state = 2463534242u;
    for (int i = 0; i < n; ++i) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        int height = min(LEVELS, 1 + __builtin_ctz(state | 1u << 20));
        int at = head;
        for (int level = LEVELS - 1; level >= 0; --level) {
            while (next[at][level] >= 0 && s[next[at][level]] >= s[i]) at = next[at][level];
            if (level < height) {
                next[i][level] = next[at][level];
                next[at][level] = i;
            }
        }
    }
    vector<int> order;
    for (int at = next[head][0]; at >= 0; at = next[at][0]) order.push_back(at);
    return order;
}

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    vector<array<char, 13>> names(n);
    vector<int> scores(n);
    for (int i = 0; i < n; ++i)
        if (scanf("%12s %d", names[i].data(), &scores[i]) != 2) return 1;
    vector<int> order = sort_order(scores);
    for (int i = 0; i < n; ++i) printf("%d %s %d\n", i + 1, names[order[i]].data(), scores[order[i]]);
    return 0;
}
