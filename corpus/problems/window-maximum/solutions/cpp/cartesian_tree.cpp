// Cartesian tree walked from the root: spans shorter than k hold no window and are skipped.
#include <algorithm>
#include <iostream>
#include <vector>
using namespace std;

struct Span { int v, lo, hi; };

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, k;
    cin >> n >> k;
    vector<int> a(n), left(n, -1), right(n, -1), st;
    for (int i = 0; i < n; i++) {
        cin >> a[i];
        int last = -1;
        while (!st.empty() && a[st.back()] < a[i]) {
            last = st.back();
            st.pop_back();
        }
        left[i] = last;
        if (!st.empty()) right[st.back()] = i;
        st.push_back(i);
    }
    vector<int> res(n - k + 1);
    vector<Span> work{{st[0], 0, n}};
    while (!work.empty()) {
        Span s = work.back();
        work.pop_back();
        int from = max(s.lo, s.v - k + 1), to = min(s.v, s.hi - k);
        for (int i = from; i <= to; i++) res[i] = a[s.v];
        if (s.v - s.lo >= k) work.push_back({left[s.v], s.lo, s.v});
        if (s.hi - s.v - 1 >= k) work.push_back({right[s.v], s.v + 1, s.hi});
    }
    for (int i = 0; i + k <= n; i++) cout << res[i] << (i + k == n ? '\n' : ' ');
}
