// Square root decomposition, each window walks its blocks.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    int n, k;
    cin >> n >> k;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    int b = max(1, (int)sqrt((double)n));
    vector<int> top((n + b - 1) / b, -2000000000);
    for (int i = 0; i < n; i++) top[i / b] = max(top[i / b], a[i]);
    ostringstream os;
    for (int s = 0; s + k <= n; s++) {
        int best = a[s], i = s, end = s + k;
        while (i < end) {
            if (i % b == 0 && i + b <= end) {
                best = max(best, top[i / b]);
                i += b;
            } else {
                best = max(best, a[i]);
                i++;
            }
        }
        if (s) os << ' ';
        os << best;
    }
    cout << os.str() << '\n';
}
