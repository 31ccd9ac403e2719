// Linear sieve of totients in int arrays.
class Solution {
    public long totientSum(int n) {
        int[] phi = new int[n + 1];
        int[] primes = new int[n / 2 + 2];
        int count = 0;
        long total = 1;
        for (int i = 2; i <= n; i++) {
            if (phi[i] == 0) {
                phi[i] = i - 1;
                primes[count++] = i;
            }
            total += phi[i];
            for (int j = 0; j < count && (long) primes[j] * i <= n; j++) {
                int p = primes[j];
                if (i % p == 0) {
                    phi[p * i] = phi[i] * p;
                    break;
                }
                phi[p * i] = phi[i] * (p - 1);
            }
        }
        return total;
    }
}
