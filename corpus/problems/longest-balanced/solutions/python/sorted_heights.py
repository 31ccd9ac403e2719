# Stable sort of all prefix positions by height; neighbours of equal height belong together
# exactly when the walk leaves the earlier one upwards.
class Solution:
    def longestBalanced(self, s: str) -> int:
        heights = list(accumulate((1 if ch == "(" else -1 for ch in s), initial=0))
        order = sorted(range(len(heights)), key=heights.__getitem__)
        best = 0
        start = before = order[0]
        for p in order[1:]:
            if heights[p] == heights[before] and s[before] == "(":
                if p - start > best:
                    best = p - start
            else:
                start = p
            before = p
        return best
