# Ordered coprime pairs up to n number sum of mu(d) * (n // d)^2; every pair except (1, 1)
# is counted twice by the totients.
class Solution:
    def totientSum(self, n: int) -> int:
        mu = [1] * (n + 1)
        composite = bytearray(n + 1)
        for p in range(2, n + 1):
            if composite[p]:
                continue
            composite[p::p] = b"\x01" * (n // p)
            mu[p::p] = map(operator.neg, mu[p::p])
            if p * p <= n:
                mu[p * p::p * p] = [0] * (n // (p * p))
        pairs = 0
        for d in range(1, n + 1):
            if mu[d]:
                pairs += mu[d] * (n // d) ** 2
        return (pairs + 1) // 2
