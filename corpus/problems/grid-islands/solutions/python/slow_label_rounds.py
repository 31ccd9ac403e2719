# Every cell takes the least number around it, round after round, until nothing changes.
class Solution:
    def countIslands(self, grid: List[List[int]]) -> int:
        rows, cols = len(grid), len(grid[0])
        far = rows * cols
        label = [[r * cols + c if grid[r][c] else far for c in range(cols)] for r in range(rows)]
        changed = True
        while changed:
            changed = False
            fresh = [row[:] for row in label]
            for r in range(rows):
                for c in range(cols):
                    if not grid[r][c]:
                        continue
                    least = label[r][c]
                    if r and label[r - 1][c] < least:
                        least = label[r - 1][c]
                    if c and label[r][c - 1] < least:
                        least = label[r][c - 1]
                    if r + 1 < rows and label[r + 1][c] < least:
                        least = label[r + 1][c]
                    if c + 1 < cols and label[r][c + 1] < least:
                        least = label[r][c + 1]
                    if least < label[r][c]:
                        fresh[r][c] = least
                        changed = True
            label = fresh
        return len({v for row in label for v in row if v < far})
