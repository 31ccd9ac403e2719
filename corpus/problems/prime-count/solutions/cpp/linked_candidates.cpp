// Doubly linked candidates: the products p * f with f still in the list are
// unlinked, so each composite leaves exactly once. Answers come from a rank table.
#include <cstdio>
#include <vector>
using namespace std;

struct Node {
    int next, prev;
    long long rank;
};

int main() {
    const int n = 2000000;
    vector<Node> a(n + 2);
    for (int i = 1; i <= n + 1; i++) a[i] = {i + 1, i - 1, 0};
    vector<int> out;
    for (int p = 2; (long long)p * p <= n; p = a[p].next) {
        out.clear();
        for (int f = p; (long long)p * f <= n; f = a[f].next) out.push_back(p * f);
        for (int c : out) {
            a[a[c].prev].next = a[c].next;
            a[a[c].next].prev = a[c].prev;
        }
    }
    long long rank = 0;
    for (int v = 2; v <= n; v = a[v].next) {
        rank++;
        for (int k = v; k < a[v].next && k <= n; k++) a[k].rank = rank;
    }
    int q, l, r;
    if (scanf("%d", &q) != 1) return 0;
    while (q--) {
        if (scanf("%d %d", &l, &r) != 2) return 0;
        printf("%lld\n", a[r].rank - a[l - 1].rank);
    }
}
