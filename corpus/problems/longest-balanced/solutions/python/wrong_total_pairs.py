# Counts every matched pair of the whole string.
class Solution:
    def longestBalanced(self, s: str) -> int:
        depth = pairs = 0
        for ch in s:
            if ch == "(":
                depth += 1
            elif depth:
                depth -= 1
                pairs += 1
        return 2 * pairs
