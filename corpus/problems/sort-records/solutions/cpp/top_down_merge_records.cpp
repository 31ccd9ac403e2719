// Recursive merge sort that copies whole records into fresh vectors on every level.
#include <bits/stdc++.h>
using namespace std;

struct Record {
    string name;
    int score;
};

static vector<Record> merge_sort(const vector<Record>& items) {
    if (items.size() < 2) return items;
    size_t half = items.size() / 2;
    vector<Record> left = merge_sort(vector<Record>(items.begin(), items.begin() + half));
    vector<Record> right = merge_sort(vector<Record>(items.begin() + half, items.end()));
    vector<Record> merged;
    size_t i = 0, j = 0;
    while (i < left.size() || j < right.size()) {
        if (j == right.size() || (i < left.size() && left[i].score >= right[j].score)) merged.push_back(left[i++]);
        else merged.push_back(right[j++]);
    }
    return merged;
}

int main() {
    int n;
    cin >> n;
    vector<Record> records(n);
    for (auto& r : records) cin >> r.name >> r.score;
    records = merge_sort(records);
    for (int i = 0; i < n; ++i) cout << i + 1 << " " << records[i].name << " " << records[i].score << endl;
}
