# ends[i] = length of the longest balanced substring whose last character is s[i].
class Solution:
    def longestBalanced(self, s: str) -> int:
        n = len(s)
        ends = [0] * n
        for i in range(1, n):
            if s[i] == ")":
                inner = ends[i - 1]
                j = i - inner - 1
                if j >= 0 and s[j] == "(":
                    total = inner + 2
                    if j > 0:
                        total += ends[j - 1]
                    ends[i] = total
        return max(ends)
