// Sorts tuples of falling score and name.
#include <cstdio>
#include <map>
#include <string>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::multimap<std::pair<int, std::string>, int> rows;
    char name[16];
    for (int i = 0, score; i < n && scanf("%15s %d", name, &score) == 2; ++i) rows.insert({{-score, name}, score});
    int place = 0;
    for (auto& row : rows) printf("%d %s %d\n", ++place, row.first.second.c_str(), row.second);
}
