// Bubble sort that swaps whole records and reads the score out of its text for every comparison.
#include <bits/stdc++.h>
using namespace std;

struct Record {
    string name, score;
    long value() const { return stol(score); }
};

int main() {
    ios::sync_with_stdio(false);
    int n;
    cin >> n;
    vector<Record> a(n);
    for (auto& r : a) cin >> r.name >> r.score;
    for (int end = n - 1; end > 0; --end)
        for (int j = 0; j < end; ++j)
            if (a[j].value() < a[j + 1].value()) swap(a[j], a[j + 1]);
    for (int i = 0; i < n; ++i) cout << i + 1 << ' ' << a[i].name << ' ' << a[i].score << '\n';
}
