// Insert every record into a multimap ordered by falling score; equal keys stay in insertion order.
#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    int n;
    cin >> n;
    multimap<int, string, greater<int>> table;
    for (int i = 0; i < n; ++i) {
        string name;
        int score;
        cin >> name >> score;
        table.insert({score, name});
    }
    int place = 0;
    for (auto& [score, name] : table) cout << ++place << ' ' << name << ' ' << score << '\n';
}
