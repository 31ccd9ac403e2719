class Solution:
    def totientSum(self, n: int) -> int:
        
