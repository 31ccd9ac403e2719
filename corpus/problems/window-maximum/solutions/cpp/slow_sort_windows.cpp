// Sorts a copy of every window.
#include <algorithm>
#include <iostream>
#include <vector>

int main() {
    std::ios::sync_with_stdio(false);
    int n, k;
    std::cin >> n >> k;
    std::vector<int> a(n);
    for (int& x : a) std::cin >> x;
    for (int i = 0; i + k <= n; i++) {
        std::vector<int> w(a.begin() + i, a.begin() + i + k);
        std::sort(w.begin(), w.end());
        std::cout << w.back() << ' ';
    }
    std::cout << '\n';
}
