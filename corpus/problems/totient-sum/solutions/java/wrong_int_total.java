// Sieve of totients, summed in an int.
class Solution {
    public long totientSum(int n) {
        int[] phi = new int[n + 1];
        for (int k = 1; k <= n; k++) phi[k] = k;
        int total = 0;
        for (int p = 1; p <= n; p++) {
            if (p > 1 && phi[p] == p) {
                for (int k = p; k <= n; k += p) phi[k] -= phi[k] / p;
            }
            total += phi[p];
        }
        return total;
    }
}
