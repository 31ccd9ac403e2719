# Splits each row into runs of land and joins runs that overlap with runs of the row above.
class Solution:
    def countIslands(self, grid: List[List[int]]) -> int:
        parent = []

        def find(a):
            while parent[a] != a:
                parent[a] = parent[parent[a]]
                a = parent[a]
            return a

        islands = 0
        above = []
        for row in grid:
            text = bytes(row)
            runs = []
            start = text.find(1)
            while start >= 0:
                stop = text.find(0, start)
                if stop < 0:
                    stop = len(text)
                runs.append((start, stop, len(parent)))
                parent.append(len(parent))
                islands += 1
                start = text.find(1, stop)
            i = j = 0
            while i < len(above) and j < len(runs):
                a, b = above[i], runs[j]
                if a[0] < b[1] and b[0] < a[1]:
                    x, y = find(a[2]), find(b[2])
                    if x != y:
                        parent[y] = x
                        islands -= 1
                if a[1] < b[1]:
                    i += 1
                else:
                    j += 1
            above = runs
        return islands
