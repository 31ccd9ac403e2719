// Fenwick tree over all numbers: built in linear time, asked in log time.
#include <iostream>
#include <vector>
using namespace std;

class Fenwick {
    vector<int> t;

public:
    explicit Fenwick(const vector<bool> &flag) : t(flag.size(), 0) {
        int n = (int)flag.size() - 1;
        for (int i = 1; i <= n; i++) {
            t[i] += flag[i];
            int up = i + (i & -i);
            if (up <= n) t[up] += t[i];
        }
    }
    int sum(int i) const {
        int s = 0;
        for (; i > 0; i &= i - 1) s += t[i];
        return s;
    }
};

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    const int n = 2000000;
    vector<bool> flag(n + 1, true);
    flag[0] = flag[1] = false;
    for (int p = 2; p * p <= n; p++)
        if (flag[p])
            for (int j = p * p; j <= n; j += p) flag[j] = false;
    Fenwick tree(flag);
    int q, l, r;
    cin >> q;
    while (q--) {
        cin >> l >> r;
        cout << tree.sum(r) - tree.sum(l - 1) << '\n';
    }
}
