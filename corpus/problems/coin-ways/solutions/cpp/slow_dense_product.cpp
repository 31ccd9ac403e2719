// Full dense polynomial product for every coin, cut afterwards.
#include <iostream>
#include <vector>
using namespace std;

int main() {
    int n, amount;
    cin >> n >> amount;
    vector<unsigned long long> total(amount + 1);
    total[0] = 1;
    while (n--) {
        int c;
        cin >> c;
        vector<unsigned long long> factor(amount + 1), product(2 * amount + 1);
        for (int s = 0; s <= amount; s += c) factor[s] = 1;
        for (int i = 0; i <= amount; i++)
            for (int j = 0; j <= amount; j++) product[i + j] = (product[i + j] + total[i] * factor[j]) % 1000000007;
        product.resize(amount + 1);
        total = product;
    }
    cout << total[amount] << '\n';
}
