# tails[k] is the smallest last element of a rising subsequence of length k + 1.
class Solution:
    def longestRising(self, nums: List[int]) -> int:
        tails = []
        for x in nums:
            k = bisect_left(tails, x)
            if k == len(tails):
                tails.append(x)
            else:
                tails[k] = x
        return len(tails)
