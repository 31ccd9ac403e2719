// phi[k] starts as k and loses its p-th part for each prime p; long array and a stream sum.
class Solution {
    public long totientSum(int n) {
        long[] phi = LongStream.rangeClosed(0, n).toArray();
        for (int p = 2; p <= n; p++) {
            if (phi[p] != p) continue;
            for (int k = p; k <= n; k += p) phi[k] -= phi[k] / p;
        }
        return Arrays.stream(phi).sum();
    }
}
