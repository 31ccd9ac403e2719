// Totients of one window at a time: primes up to sqrt(n) divide themselves out of the
// numbers of the window, what is left above 1 is one more prime.
class Solution {
public:
    long long totientSum(int n) {
        vector<int> primes;
        for (int p = 2; p * p <= n; ++p) {
            bool prime = true;
            for (int q : primes) {
                if (q * q > p) break;
                if (p % q == 0) prime = false;
            }
            if (prime) primes.push_back(p);
        }
        const int window = 4096;
        int phi[window], rest[window];
        long long total = 0;
        for (int lo = 1; lo <= n; lo += window) {
            int size = min(window, n - lo + 1);
            for (int i = 0; i < size; ++i) phi[i] = rest[i] = lo + i;
            for (int p : primes) {
                for (int i = (p - lo % p) % p; i < size; i += p) {
                    phi[i] -= phi[i] / p;
                    while (rest[i] % p == 0) rest[i] /= p;
                }
            }
            for (int i = 0; i < size; ++i) total += rest[i] > 1 ? phi[i] - phi[i] / rest[i] : phi[i];
        }
        return total;
    }
};
