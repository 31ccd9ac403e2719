# Two scans with plain counters: from the left for surplus ')', from the right for surplus '('.
class Solution:
    def longestBalanced(self, s: str) -> int:
        return max(self.scan(s, "("), self.scan(reversed(s), ")"))

    def scan(self, chars, opening):
        best = depth = pairs = 0
        for ch in chars:
            if ch == opening:
                depth += 1
            elif depth == 0:
                pairs = 0
            else:
                depth -= 1
                pairs += 1
                if depth == 0 and pairs > best:
                    best = pairs
        return 2 * best
