class Solution:
    def countPairs(self, nums: List[int], target: int) -> int:
        
