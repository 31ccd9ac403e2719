// F(m) = m(m+1)/2 - sum of F(m / d) over d >= 2. The arguments are all n / i, so two arrays
// hold the results: one for values up to about n^(2/3) (sieved), one indexed by i.
class Solution {
public:
    long long totientSum(int n) {
        int small = max(2, (int)round(cbrt((double)n) * cbrt((double)n)));
        vector<long long> sum(small + 1);
        iota(sum.begin(), sum.end(), 0LL);
        for (int p = 2; p <= small; ++p) {
            if (sum[p] != p) continue;
            for (int k = p; k <= small; k += p) sum[k] -= sum[k] / p;
        }
        partial_sum(sum.begin(), sum.end(), sum.begin());
        if (n <= small) return sum[n];
        int large = n / (small + 1);
        vector<long long> far(large + 1);
        for (int i = large; i >= 1; --i) {
            long long m = n / i, result = m * (m + 1) / 2;
            for (long long d = 2, last; d <= m; d = last + 1) {
                long long q = m / d;
                last = m / q;
                result -= (last - d + 1) * (q <= small ? sum[q] : far[i * d]);
            }
            far[i] = result;
        }
        return far[1];
    }
};
