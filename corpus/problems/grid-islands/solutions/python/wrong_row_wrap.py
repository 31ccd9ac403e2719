# Flattened grid without a frame: the end of a row touches the beginning of the next one.
class Solution:
    def countIslands(self, grid: List[List[int]]) -> int:
        cols = len(grid[0])
        flat = [cell for row in grid for cell in row]
        n = len(flat)
        islands = 0
        for start in range(n):
            if not flat[start]:
                continue
            islands += 1
            flat[start] = 0
            stack = [start]
            while stack:
                p = stack.pop()
                for q in (p - 1, p + 1, p - cols, p + cols):
                    if 0 <= q < n and flat[q]:
                        flat[q] = 0
                        stack.append(q)
        return islands
