// Ordered map from value to number of copies inside the window.
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>
using namespace std;

int main() {
    int n, k;
    if (scanf("%d%d", &n, &k) != 2) return 1;
    vector<int> a(n);
    map<int, int, greater<int>> count;
    string res;
    for (int i = 0; i < n; i++) {
        if (scanf("%d", &a[i]) != 1) return 1;
        count[a[i]]++;
        if (i >= k) {
            auto it = count.find(a[i - k]);
            if (--it->second == 0) count.erase(it);
        }
        if (i >= k - 1) {
            res += to_string(count.begin()->first);
            res += i + 1 < n ? ' ' : '\n';
        }
    }
    fputs(res.c_str(), stdout);
}
