# Patience sorting; the pile for each number is located with a plain while-loop search.
class Solution:
    def longestRising(self, nums: List[int]) -> int:
        top = [0] * len(nums)
        piles = 0
        for x in nums:
            lo, hi = 0, piles
            while lo < hi:
                mid = (lo + hi) >> 1
                if top[mid] < x:
                    lo = mid + 1
                else:
                    hi = mid
            top[lo] = x
            if lo == piles:
                piles += 1
        return piles
