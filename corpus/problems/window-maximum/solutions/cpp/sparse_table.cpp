// Full sparse table of 17 rows, two overlapping looks for each window.
#include <algorithm>
#include <cstdio>
#include <vector>
using namespace std;

int main() {
    int n, k;
    if (scanf("%d%d", &n, &k) != 2) return 1;
    vector<vector<int>> t(1, vector<int>(n));
    for (int i = 0; i < n; i++)
        if (scanf("%d", &t[0][i]) != 1) return 1;
    for (int w = 1; 2 * w <= n; w *= 2) {
        const vector<int>& p = t.back();
        vector<int> row(n - 2 * w + 1);
        for (int i = 0; i < (int)row.size(); i++) row[i] = max(p[i], p[i + w]);
        t.push_back(row);
    }
    int level = 31 - __builtin_clz(k);
    for (int i = 0; i + k <= n; i++) {
        int best = max(t[level][i], t[level][i + k - (1 << level)]);
        printf("%d%c", best, i + k == n ? '\n' : ' ');
    }
}
