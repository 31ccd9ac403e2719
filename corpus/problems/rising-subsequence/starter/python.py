class Solution:
    def longestRising(self, nums: List[int]) -> int:
        
