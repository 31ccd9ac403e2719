// Bottom-up segment tree in one array of 2n.
#include <algorithm>
#include <iostream>
#include <vector>
using namespace std;

int main() {
    cin.tie(nullptr);
    ios_base::sync_with_stdio(false);
    int n, k;
    cin >> n >> k;
    vector<int> t(2 * n);
    for (int i = 0; i < n; i++) cin >> t[n + i];
    for (int i = n - 1; i; i--) t[i] = max(t[2 * i], t[2 * i + 1]);
    for (int s = 0; s + k <= n; s++) {
        int best = t[n + s];
        for (int l = n + s, r = n + s + k; l < r; l /= 2, r /= 2) {
            if (l & 1) best = max(best, t[l++]);
            if (r & 1) best = max(best, t[--r]);
        }
        if (s) cout << ' ';
        cout << best;
    }
    cout << endl;
}
