# Coprime ordered pairs by Moebius inversion; half of them have j <= k.
class Solution:
    def totientSum(self, n: int) -> int:
        mu = [1] * (n + 1)
        composite = bytearray(n + 1)
        for p in range(2, n + 1):
            if composite[p]:
                continue
            composite[p::p] = b"\x01" * (n // p)
            mu[p::p] = [-s for s in mu[p::p]]
            for k in range(p * p, n + 1, p * p):
                mu[k] = 0
        pairs = sum(mu[d] * (n // d) ** 2 for d in range(1, n + 1))
        return pairs // 2
