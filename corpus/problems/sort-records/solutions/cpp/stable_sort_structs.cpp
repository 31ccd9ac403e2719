// The library's stable sort on an array of whole records.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

struct Record {
    std::string name;
    int score;
};

int main() {
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    int n;
    std::cin >> n;
    std::vector<Record> records(n);
    for (Record& r : records) std::cin >> r.name >> r.score;
    std::stable_sort(records.begin(), records.end(), [](const Record& a, const Record& b) { return a.score > b.score; });
    for (int i = 0; i < n; ++i) std::cout << i + 1 << ' ' << records[i].name << ' ' << records[i].score << '\n';
}
