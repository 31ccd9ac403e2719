// Blocks of k elements; each window is a suffix of one block and a prefix of the next. Lines read by getline.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    string line;
    getline(cin, line);
    char* p;
    int n = strtol(line.c_str(), &p, 10);
    int k = strtol(p, nullptr, 10);
    getline(cin, line);
    vector<int> a(n);
    p = &line[0];
    for (int i = 0; i < n; i++) a[i] = strtol(p, &p, 10);
    vector<int> pre(a), suf(a);
    for (int i = 1; i < n; i++)
        if (i % k) pre[i] = max(pre[i], pre[i - 1]);
    for (int i = n - 2; i >= 0; i--)
        if ((i + 1) % k) suf[i] = max(suf[i], suf[i + 1]);
    string res;
    for (int i = 0; i + k <= n; i++) {
        if (i) res += ' ';
        res += to_string(max(suf[i], pre[i + k - 1]));
    }
    cout << res << '\n';
}
