# Breadth-first search from every unseen land cell, with a separate table of seen cells.
class Solution:
    def countIslands(self, grid: List[List[int]]) -> int:
        rows, cols = len(grid), len(grid[0])
        seen = [[False] * cols for _ in range(rows)]
        islands = 0
        for r in range(rows):
            for c in range(cols):
                if grid[r][c] == 0 or seen[r][c]:
                    continue
                islands += 1
                seen[r][c] = True
                queue = deque([(r, c)])
                while queue:
                    y, x = queue.popleft()
                    for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                        ny, nx = y + dy, x + dx
                        if 0 <= ny < rows and 0 <= nx < cols:
                            if grid[ny][nx] and not seen[ny][nx]:
                                seen[ny][nx] = True
                                queue.append((ny, nx))
        return islands
