// Primes in a red-black tree with order statistics.
#include <iostream>
#include <functional>
#include <vector>
#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>
using namespace std;
typedef __gnu_pbds::tree<int, __gnu_pbds::null_type, less<int>, __gnu_pbds::rb_tree_tag,
                         __gnu_pbds::tree_order_statistics_node_update> Tree;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int q;
    cin >> q;
    vector<pair<int, int>> ask(q);
    int n = 2;
    for (auto &a : ask) {
        cin >> a.first >> a.second;
        n = max(n, a.second);
    }
    vector<bool> comp(n + 1, false);
    Tree tree;
    for (long long i = 2; i <= n; i++) {
        if (comp[i]) continue;
        tree.insert((int)i);
        for (long long j = i * i; j <= n; j += i) comp[j] = true;
    }
    for (auto &a : ask) cout << tree.order_of_key(a.second + 1) - tree.order_of_key(a.first) << '\n';
}
