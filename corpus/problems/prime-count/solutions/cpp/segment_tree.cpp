// Bottom-up segment tree with one leaf per number.
#include <cstdio>
#include <vector>
using namespace std;

int main() {
    const int size = 1 << 21;
    vector<int> tree(2 * size, 0);
    for (int i = 2; i < size; i++) tree[size + i] = 1;
    for (int p = 2; p * p < size; p++) {
        if (!tree[size + p]) continue;
        for (int m = p * p; m < size; m += p) tree[size + m] = 0;
    }
    for (int v = size - 1; v; v--) tree[v] = tree[2 * v] + tree[2 * v + 1];
    int q;
    if (scanf("%d", &q) != 1) return 0;
    while (q--) {
        int l, r, s = 0;
        if (scanf("%d %d", &l, &r) != 2) return 0;
        for (l += size, r += size + 1; l < r; l >>= 1, r >>= 1) {
            if (l & 1) s += tree[l++];
            if (r & 1) s += tree[--r];
        }
        printf("%d\n", s);
    }
}
