// Every number is factorised on its own by the primes up to its square root.
class Solution {
    public long totientSum(int n) {
        List<Integer> primes = new ArrayList<>();
        long total = 0;
        for (int k = 1; k <= n; k++) {
            int rest = k, phi = k;
            for (int p : primes) {
                if (p * p > rest) break;
                if (rest % p != 0) continue;
                phi = phi / p * (p - 1);
                while (rest % p == 0) rest /= p;
            }
            if (rest > 1) phi = phi / rest * (rest - 1);
            if (rest == k && k > 1 && k <= 46340 && (long) k * k <= n) primes.add(k);
            total += phi;
        }
        return total;
    }
}
