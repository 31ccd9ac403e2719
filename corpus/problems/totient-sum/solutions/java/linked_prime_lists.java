// A chain of prime nodes per number, filled by a sieve and multiplied out afterwards.
class Solution {
    private static class Link {
        final int prime;
        final Link next;

        Link(int prime, Link next) {
            this.prime = prime;
            this.next = next;
        }
    }

    public long totientSum(int n) {
        Link[] first = new Link[n + 1];
        for (int p = 2; p <= n; p++) {
            if (first[p] != null) continue;
            for (int k = p; k <= n; k += p) first[k] = new Link(p, first[k]);
        }
        long total = 0;
        for (int k = 1; k <= n; k++) {
            int phi = k;
            for (Link link = first[k]; link != null; link = link.next) phi -= phi / link.prime;
            total += phi;
        }
        return total;
    }
}
