// Memoised F(m) = m(m+1)/2 - sum of F(m / d) in a HashMap.
class Solution {
    private final Map<Integer, Long> known = new HashMap<>();

    public long totientSum(int n) {
        if (n == 1) return 1;
        Long seen = known.get(n);
        if (seen != null) return seen;
        long result = (long) n * (n + 1) / 2;
        for (int d = 2, last; d <= n; d = last + 1) {
            int q = n / d;
            last = n / q;
            result -= (last - d + 1) * totientSum(q);
        }
        known.put(n, result);
        return result;
    }
}
