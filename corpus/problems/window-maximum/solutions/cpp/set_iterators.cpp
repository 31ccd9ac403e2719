// Set of (value, index); the iterator of every element is kept so that leaving needs no search.
#include <cstdio>
#include <set>
#include <utility>
#include <vector>
using namespace std;

int main() {
    int n, k;
    if (scanf("%d%d", &n, &k) != 2) return 1;
    set<pair<int, int>> window;
    vector<set<pair<int, int>>::iterator> ring(k);
    for (int i = 0; i < n; i++) {
        int x;
        if (scanf("%d", &x) != 1) return 1;
        if (i >= k) window.erase(ring[i % k]);
        ring[i % k] = window.emplace(x, i).first;
        if (i >= k - 1) printf(i == k - 1 ? "%d" : " %d", window.rbegin()->first);
    }
    putchar('\n');
}
