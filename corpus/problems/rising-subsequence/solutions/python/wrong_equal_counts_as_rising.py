# Patience piles; each number goes to the first pile whose top is larger.
class Solution:
    def longestRising(self, nums: List[int]) -> int:
        tails = []
        for x in nums:
            k = bisect_right(tails, x)
            if k == len(tails):
                tails.append(x)
            else:
                tails[k] = x
        return len(tails)
