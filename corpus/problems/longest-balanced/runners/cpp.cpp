#include <bits/stdc++.h>
using namespace std;

// ==Code Submission==

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    string line;
    getline(cin, line);
    size_t from = line.find('"'), to = line.rfind('"');
    string text = from == string::npos || to <= from ? string() : line.substr(from + 1, to - from - 1);
    cout << Solution().longestBalanced(text) << "\n";
    return 0;
}
