// Byte per odd number; the sieve array is turned into prefix sums of odd primes.
#include <functional>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int q;
    cin >> q;
    const int half = 1000000;
    string odd(half, 1);
    odd[0] = 0;
    for (int p = 3; p < 1415; p += 2)
        if (odd[p / 2])
            for (int j = p * p / 2; j < half; j += p) odd[j] = 0;
    vector<int> pre(half + 1);
    inclusive_scan(odd.begin(), odd.end(), pre.begin() + 1, plus<int>(), 0);
    auto pi = [&](int x) { return x < 2 ? 0 : 1 + pre[(x + 1) / 2]; };
    while (q--) {
        int l, r;
        cin >> l >> r;
        cout << pi(r) - pi(l - 1) << "\n";
    }
}
