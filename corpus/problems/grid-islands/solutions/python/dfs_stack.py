# Flood fill with an explicit stack of coordinates; sinks the cells in the grid itself.
class Solution:
    def countIslands(self, grid: List[List[int]]) -> int:
        rows, cols = len(grid), len(grid[0])
        islands = 0
        for r in range(rows):
            for c in range(cols):
                if grid[r][c] != 1:
                    continue
                islands += 1
                grid[r][c] = 0
                stack = [(r, c)]
                while stack:
                    y, x = stack.pop()
                    for ny, nx in ((y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)):
                        if 0 <= ny < rows and 0 <= nx < cols and grid[ny][nx] == 1:
                            grid[ny][nx] = 0
                            stack.append((ny, nx))
        return islands
