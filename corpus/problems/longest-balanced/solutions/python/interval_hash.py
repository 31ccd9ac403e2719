# Each matched pair becomes an interval; a dictionary from end to start glues neighbours together.
class Solution:
    def longestBalanced(self, s: str) -> int:
        start_of = {}
        opened = []
        for i, ch in enumerate(s):
            if ch == "(":
                opened.append(i)
            elif opened:
                start = opened.pop()
                start_of[i] = start_of.get(start - 1, start)
        return max((end - start + 1 for end, start in start_of.items()), default=0)
