// Every number gets the vector of its distinct primes; the totient is multiplied out of it.
class Solution {
public:
    long long totientSum(int n) {
        vector<vector<int>> divisors(n + 1);
        for (int p = 2; p <= n; ++p) {
            if (!divisors[p].empty()) continue;
            for (int k = p; k <= n; k += p) divisors[k].push_back(p);
        }
        long long total = 0;
        for (int k = 1; k <= n; ++k) {
            int phi = k;
            for (int p : divisors[k]) phi = phi / p * (p - 1);
            total += phi;
        }
        return total;
    }
};
