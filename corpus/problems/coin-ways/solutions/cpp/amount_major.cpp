// Sums outside, coins inside: each sum keeps the counts limited to the first coins, so order is fixed.
#include <iostream>
#include <vector>
using namespace std;

int main() {
    int n, amount;
    cin >> n >> amount;
    vector<int> coins(n);
    for (int& c : coins) cin >> c;
    vector<int> cell((size_t)(amount + 1) * n);
    for (int s = 0; s <= amount; s++) {
        int run = s == 0;
        for (int i = 0; i < n; i++) {
            if (s >= coins[i]) run = (run + cell[(size_t)(s - coins[i]) * n + i]) % 1000000007;
            cell[(size_t)s * n + i] = run;
        }
    }
    cout << cell.back() << '\n';
}
