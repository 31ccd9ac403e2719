# phi(k) from phi(k / p) for the smallest prime p of k, with a table of smallest primes.
class Solution:
    def totientSum(self, n: int) -> int:
        smallest = [0] * (n + 1)
        for p in range(2, isqrt(n) + 1):
            if smallest[p] == 0:
                for k in range(p * p, n + 1, p):
                    if smallest[k] == 0:
                        smallest[k] = p
        phi = {1: 1}
        for k in range(2, n + 1):
            p = smallest[k]
            if p == 0:
                phi[k] = k - 1
            else:
                rest = k // p
                phi[k] = phi[rest] * (p if smallest[rest] in (p, 0) and rest % p == 0 else p - 1)
        return sum(phi.values())
