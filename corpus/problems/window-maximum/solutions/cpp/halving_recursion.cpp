// Divide and conquer: windows across the middle are answered from running maxima on both sides.
#include <algorithm>
#include <iostream>
#include <iterator>
#include <vector>
using namespace std;

static int k;
static vector<int> a, res;

static void solve(int lo, int hi) {
    if (hi - lo < k) return;
    if (hi - lo == 1) {
        res[lo] = a[lo];
        return;
    }
    int mid = (lo + hi) / 2;
    int from = max(lo, mid - k + 1), to = min(hi, mid + k - 1);
    vector<int> side(a.begin() + from, a.begin() + to);
    for (int i = mid - 2; i >= from; i--) side[i - from] = max(side[i - from], side[i - from + 1]);
    for (int i = mid + 1; i < to; i++) side[i - from] = max(side[i - from], side[i - from - 1]);
    for (int s = from; s < mid && s + k <= hi; s++) res[s] = max(side[s - from], side[s + k - 1 - from]);
    solve(lo, mid);
    solve(mid, hi);
}

int main() {
    ios::sync_with_stdio(false);
    int n;
    cin >> n >> k;
    copy_n(istream_iterator<int>(cin), n, back_inserter(a));
    res.resize(n - k + 1);
    solve(0, n);
    copy(res.begin(), res.end(), ostream_iterator<int>(cout, " "));
    cout << '\n';
}
