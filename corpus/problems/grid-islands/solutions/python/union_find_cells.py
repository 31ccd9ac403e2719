# Union-find over all cells with path halving and union by size.
class Solution:
    def countIslands(self, grid: List[List[int]]) -> int:
        rows, cols = len(grid), len(grid[0])
        parent = list(range(rows * cols))
        size = [1] * (rows * cols)

        def find(a):
            while parent[a] != a:
                parent[a] = parent[parent[a]]
                a = parent[a]
            return a

        def union(a, b):
            a, b = find(a), find(b)
            if a == b:
                return 0
            if size[a] < size[b]:
                a, b = b, a
            parent[b] = a
            size[a] += size[b]
            return 1

        islands = 0
        for r in range(rows):
            for c in range(cols):
                if grid[r][c]:
                    islands += 1
                    if r and grid[r - 1][c]:
                        islands -= union((r - 1) * cols + c, r * cols + c)
                    if c and grid[r][c - 1]:
                        islands -= union(r * cols + c - 1, r * cols + c)
        return islands
