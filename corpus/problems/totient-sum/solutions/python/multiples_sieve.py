# Start with phi[k] = k and take out the share of every prime from its multiples.
class Solution:
    def totientSum(self, n: int) -> int:
        phi = list(range(n + 1))
        for p in range(2, n + 1):
            if phi[p] == p:
                for k in range(p, n + 1, p):
                    phi[k] -= phi[k] // p
        return sum(phi)
