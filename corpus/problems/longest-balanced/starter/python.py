class Solution:
    def longestBalanced(self, s: str) -> int:
        
