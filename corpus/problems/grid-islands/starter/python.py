class Solution:
    def countIslands(self, grid: List[List[int]]) -> int:
        
