// Factorises every number separately by trial division with the primes up to sqrt(n).
class Solution {
public:
    long long totientSum(int n) {
        vector<int> primes;
        for (int p = 2; p * p <= n; ++p) {
            if (all_of(primes.begin(), primes.end(), [&](int q) { return p % q; })) primes.push_back(p);
        }
        long long total = 0;
        for (int k = 1; k <= n; ++k) {
            int rest = k, phi = k;
            for (int p : primes) {
                if (p * p > rest) break;
                if (rest % p) continue;
                phi -= phi / p;
                do rest /= p; while (rest % p == 0);
            }
            if (rest > 1) phi -= phi / rest;
            total += phi;
        }
        return total;
    }
};
