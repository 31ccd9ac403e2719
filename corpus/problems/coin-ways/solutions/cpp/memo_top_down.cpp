// Recursion on (coins left, rest) with a memo, large coins first.
#include <algorithm>
#include <iostream>
#include <vector>
using namespace std;

static vector<int> coins;
static vector<vector<int>> memo;

static int count(int i, int rest) {
    if (rest == 0) return 1;
    if (i == 0) return rest % coins[0] == 0;
    int& m = memo[i][rest];
    if (m >= 0) return m;
    int r = count(i - 1, rest);
    if (rest >= coins[i]) r = (r + count(i, rest - coins[i])) % 1000000007;
    return m = r;
}

int main() {
    int n, amount;
    cin >> n >> amount;
    coins.resize(n);
    for (int& c : coins) cin >> c;
    sort(coins.begin(), coins.end());
    memo.assign(n, vector<int>(amount + 1, -1));
    cout << count(n - 1, amount) << endl;
}
