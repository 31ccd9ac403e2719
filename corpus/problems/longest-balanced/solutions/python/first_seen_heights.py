# Walk of heights: remember for each height where the current stretch at or above it began.
class Solution:
    def longestBalanced(self, s: str) -> int:
        first = {0: 0}
        height = 0
        best = 0
        for position, ch in enumerate(s, 1):
            if ch == "(":
                height += 1
                first.setdefault(height, position)
            else:
                first.pop(height, None)
                height -= 1
                start = first.setdefault(height, position)
                if position - start > best:
                    best = position - start
        return best
