// Implicit treap used as a queue: append on the right, cut one on the left, maximum at the root.
#include <algorithm>
#include <iostream>
#include <vector>
using namespace std;

struct Node { int value, best, size, left, right; unsigned pri; };
static vector<Node> t(1, Node{-2000000000, -2000000000, 0, 0, 0, 0});

static void pull(int x) {
    Node& v = t[x];
    v.size = t[v.left].size + 1 + t[v.right].size;
    v.best = max(v.value, max(t[v.left].best, t[v.right].best));
}
static int join(int x, int y) {
    if (!x || !y) return x + y;
    if (t[x].pri > t[y].pri) {
        t[x].right = join(t[x].right, y);
        pull(x);
        return x;
    }
    t[y].left = join(x, t[y].left);
    pull(y);
    return y;
}
static int drop_first(int x) {
    if (!t[x].left) return t[x].right;
    t[x].left = drop_first(t[x].left);
    pull(x);
    return x;
}

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, k;
    cin >> n >> k;
    t.reserve(n + 1);
    unsigned s = 2463534242u;
    int root = 0;
    for (int i = 0; i < n; i++) {
        int x;
        cin >> x;
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        t.push_back({x, x, 1, 0, 0, s});
        root = join(root, i + 1);
        if (i >= k) root = drop_first(root);
        if (i >= k - 1) cout << t[root].best << ' ';
    }
    cout << '\n';
}
