# Blot out the brackets without partner, then the longest piece between blots is the answer.
class Solution:
    def longestBalanced(self, s: str) -> int:
        text = bytearray(s, "ascii")
        opened = []
        push, pop = opened.append, opened.pop
        for i, code in enumerate(text):
            if code == 40:
                push(i)
            elif opened:
                pop()
            else:
                text[i] = 32
        for i in opened:
            text[i] = 32
        return max(map(len, text.split(b" ")))
