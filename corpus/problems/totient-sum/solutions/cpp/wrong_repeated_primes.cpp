// Linear sieve using phi(p * i) = (p - 1) * phi(i).
class Solution {
public:
    long long totientSum(int n) {
        vector<int> phi(n + 1, 0), primes;
        long long total = 1;
        for (int i = 2; i <= n; ++i) {
            if (!phi[i]) {
                phi[i] = i - 1;
                primes.push_back(i);
            }
            total += phi[i];
            for (int p : primes) {
                if (1LL * p * i > n) break;
                phi[p * i] = phi[i] * (p - 1);
                if (i % p == 0) break;
            }
        }
        return total;
    }
};
