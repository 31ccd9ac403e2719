// Sorts the records by falling score with std::sort.
#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n;
    cin >> n;
    vector<pair<string, int>> rows(n);
    for (auto& row : rows) cin >> row.first >> row.second;
    sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    for (int i = 0; i < n; ++i) cout << i + 1 << ' ' << rows[i].first << ' ' << rows[i].second << '\n';
}
