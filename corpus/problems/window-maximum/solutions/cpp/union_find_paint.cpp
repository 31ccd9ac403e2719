// Values from large to small paint the window starts they dominate; union-find skips painted ones.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>
using namespace std;

static vector<int> nxt;
static int find(int x) {
    while (nxt[x] != x) x = nxt[x] = nxt[nxt[x]];
    return x;
}

int main() {
    int n, k;
    if (scanf("%d %d", &n, &k) != 2) return 1;
    vector<int> a(n), order(n);
    for (int& x : a)
        if (scanf("%d", &x) != 1) return 1;
    iota(order.begin(), order.end(), 0);
    sort(order.begin(), order.end(), [&](int x, int y) { return a[x] > a[y]; });
    int m = n - k + 1, left = m;
    nxt.resize(m + 1);
    iota(nxt.begin(), nxt.end(), 0);
    vector<int> res(m);
    for (int i : order) {
        if (!left) break;
        for (int p = find(max(0, i - k + 1)); p <= i && p < m; p = find(p)) {
            res[p] = a[i];
            nxt[p] = p + 1;
            left--;
        }
    }
    for (int i = 0; i < m; i++) printf("%d ", res[i]);
    puts("");
}
