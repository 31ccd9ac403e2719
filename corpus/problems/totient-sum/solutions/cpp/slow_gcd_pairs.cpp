// One gcd for every pair j <= k.
class Solution {
public:
    long long totientSum(int n) {
        long long total = 0;
        for (int k = 1; k <= n; ++k)
            for (int j = 1; j <= k; ++j) total += __gcd(j, k) == 1;
        return total;
    }
};
