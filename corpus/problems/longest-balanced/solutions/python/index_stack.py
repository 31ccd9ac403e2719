# Stack of indices; the bottom entry is the last position that can no longer be part of an answer.
class Solution:
    def longestBalanced(self, s: str) -> int:
        stack = [-1]
        best = 0
        for i, ch in enumerate(s):
            if ch == "(":
                stack.append(i)
            else:
                stack.pop()
                if not stack:
                    stack.append(i)
                else:
                    length = i - stack[-1]
                    if length > best:
                        best = length
        return best
