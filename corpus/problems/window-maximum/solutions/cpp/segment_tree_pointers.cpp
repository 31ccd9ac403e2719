// Recursive segment tree of heap-allocated nodes.
#include <algorithm>
#include <climits>
#include <iostream>
#include <memory>
#include <vector>
using namespace std;

struct Node {
    int lo, hi, best;
    unique_ptr<Node> left, right;
    Node(const vector<int>& a, int lo, int hi) : lo(lo), hi(hi), best(a[lo]) {
        if (hi - lo == 1) return;
        int mid = (lo + hi) / 2;
        left = make_unique<Node>(a, lo, mid);
        right = make_unique<Node>(a, mid, hi);
        best = max(left->best, right->best);
    }
    int query(int l, int r) const {
        if (r <= lo || hi <= l) return INT_MIN;
        if (l <= lo && hi <= r) return best;
        return max(left->query(l, r), right->query(l, r));
    }
};

int main() {
    int n, k;
    cin >> n >> k;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    Node root(a, 0, n);
    for (int i = 0; i + k <= n; i++) cout << root.query(i, i + k) << (i + k == n ? "\n" : " ");
}
