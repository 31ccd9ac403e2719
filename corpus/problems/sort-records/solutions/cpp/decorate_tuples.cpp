// Decorate every record as a tuple (-score, index, name), sort the tuples, drop the decoration.
#include <bits/stdc++.h>
using namespace std;

int main() {
    int n;
    cin >> n;
    vector<tuple<long long, int, string>> rows;
    for (int i = 0; i < n; ++i) {
        string name;
        long long score;
        cin >> name >> score;
        rows.emplace_back(-score, i, name);
    }
    sort(rows.begin(), rows.end());
    ostringstream out;
    for (int i = 0; i < n; ++i) out << i + 1 << ' ' << get<2>(rows[i]) << ' ' << -get<0>(rows[i]) << '\n';
    cout << out.str();
}
