// std::list of pairs, sorted with its own (stable) sort member.
#include <cstdio>
#include <iostream>
#include <list>
#include <string>
#include <utility>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::list<std::pair<std::string, int>> rows;
    char name[16];
    for (int score; n > 0 && scanf("%15s %d", name, &score) == 2; --n) rows.emplace_back(name, score);
    rows.sort([](const auto& a, const auto& b) { return a.second > b.second; });
    int place = 0;
    for (const auto& row : rows) printf("%d %s %d\n", ++place, row.first.c_str(), row.second);
}
