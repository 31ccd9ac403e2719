# Linear sieve: every composite is reached once, from its smallest prime.
class Solution:
    def totientSum(self, n: int) -> int:
        phi = [0] * (n + 1)
        phi[1] = 1
        primes = []
        for i in range(2, n + 1):
            f = phi[i]
            if f == 0:
                f = phi[i] = i - 1
                primes.append(i)
            for p in primes:
                k = i * p
                if k > n:
                    break
                if i % p == 0:
                    phi[k] = f * p
                    break
                phi[k] = f * (p - 1)
        return sum(phi)
