// No prefix table: end points are sorted and the sieve is walked once.
#include <algorithm>
#include <cstdio>
#include <vector>
using namespace std;

int main() {
    int q;
    if (scanf("%d", &q) != 1) return 0;
    vector<int> at(2 * q), order(2 * q), pi(2 * q);
    int top = 1;
    for (int i = 0; i < q; i++) {
        if (scanf("%d %d", &at[2 * i], &at[2 * i + 1]) != 2) return 0;
        at[2 * i]--;
        top = max(top, at[2 * i + 1]);
    }
    for (int i = 0; i < 2 * q; i++) order[i] = i;
    sort(order.begin(), order.end(), [&](int a, int b) { return at[a] < at[b]; });
    vector<bool> comp(top + 1, false);
    int v = 1, total = 0;
    for (int id : order) {
        while (v < at[id]) {
            v++;
            if (comp[v]) continue;
            total++;
            if ((long long)v * v <= top)
                for (int m = v * v; m <= top; m += v) comp[m] = true;
        }
        pi[id] = total;
    }
    for (int i = 0; i < q; i++) printf("%d\n", pi[2 * i + 1] - pi[2 * i]);
}
