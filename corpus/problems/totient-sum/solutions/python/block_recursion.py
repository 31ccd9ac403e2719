# F(m) = m(m+1)/2 - sum of F(m // d) for d >= 2, grouped by equal quotients; the small values
# of F come from a sieve up to about n^(2/3).
class Solution:
    def totientSum(self, n: int) -> int:
        small = max(2, int(round(n ** (2 / 3))))
        phi = list(range(small + 1))
        for p in range(2, small + 1):
            if phi[p] == p:
                for k in range(p, small + 1, p):
                    phi[k] -= phi[k] // p
        prefix = list(accumulate(phi))

        @lru_cache(maxsize=None)
        def total(m):
            if m <= small:
                return prefix[m]
            result = m * (m + 1) // 2
            d = 2
            while d <= m:
                q = m // d
                end = m // q
                result -= (end - d + 1) * total(q)
                d = end + 1
            return result

        return total(n)
