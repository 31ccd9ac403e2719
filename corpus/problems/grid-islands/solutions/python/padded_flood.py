# The grid as one bytearray with a frame of water, so that no bounds need checking.
class Solution:
    def countIslands(self, grid: List[List[int]]) -> int:
        width = len(grid[0]) + 1
        land = bytearray(width)
        for row in grid:
            land += bytes(row)
            land.append(0)
        land += bytes(width)
        islands = 0
        at = land.find(1)
        while at >= 0:
            islands += 1
            land[at] = 0
            stack = [at]
            while stack:
                p = stack.pop()
                if land[p + 1]:
                    land[p + 1] = 0
                    stack.append(p + 1)
                if land[p - 1]:
                    land[p - 1] = 0
                    stack.append(p - 1)
                if land[p + width]:
                    land[p + width] = 0
                    stack.append(p + width)
                if land[p - width]:
                    land[p - width] = 0
                    stack.append(p - width)
            at = land.find(1, at)
        return islands
