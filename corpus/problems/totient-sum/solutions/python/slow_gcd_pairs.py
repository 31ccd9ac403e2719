# Counts the coprime partners of every k one by one.
class Solution:
    def totientSum(self, n: int) -> int:
        total = 0
        for k in range(1, n + 1):
            total += sum(1 for j in range(1, k + 1) if gcd(j, k) == 1)
        return total
