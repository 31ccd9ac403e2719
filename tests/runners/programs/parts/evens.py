class Solution:
    def solve(self, nums):
        kept = 0
        for n in nums:
            if n % 2 == 0:
                nums[kept] = n
                kept += 1
        return kept
