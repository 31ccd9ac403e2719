#include <bits/stdc++.h>
using namespace std;

// ==Code Submission==

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    string line;
    getline(cin, line);
    vector<vector<int>> grid;
    int depth = 0;
    for (size_t i = 0; i < line.size(); ++i) {
        char c = line[i];
        if (c == '[') {
            if (++depth == 2) grid.emplace_back();
        } else if (c == ']') {
            --depth;
        } else if (c >= '0' && c <= '9') {
            int value = 0;
            while (i < line.size() && line[i] >= '0' && line[i] <= '9') value = value * 10 + (line[i++] - '0');
            --i;
            grid.back().push_back(value);
        }
    }
    cout << Solution().countIslands(grid) << "\n";
    return 0;
}
