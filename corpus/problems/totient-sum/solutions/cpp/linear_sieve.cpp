// Linear sieve of totients in one int array.
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
                long long k = 1LL * p * i;
                if (k > n) break;
                if (i % p == 0) {
                    phi[k] = phi[i] * p;
                    break;
                }
                phi[k] = phi[i] * (p - 1);
            }
        }
        return total;
    }
};
