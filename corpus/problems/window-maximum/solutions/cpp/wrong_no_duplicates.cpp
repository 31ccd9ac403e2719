// Plain set: loses repeated values when one copy leaves.
#include <cstdio>
#include <set>
#include <vector>

int main() {
    int n, k;
    if (scanf("%d%d", &n, &k) != 2) return 1;
    std::vector<int> a(n);
    std::set<int> window;
    for (int i = 0; i < n; i++) {
        if (scanf("%d", &a[i]) != 1) return 1;
        if (i >= k) window.erase(a[i - k]);
        window.insert(a[i]);
        if (i >= k - 1) printf("%d ", *window.rbegin());
    }
    puts("");
}
