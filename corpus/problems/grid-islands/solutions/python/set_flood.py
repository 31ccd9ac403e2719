# All land cells in one set of complex numbers; islands are removed wave by wave.
class Solution:
    def countIslands(self, grid: List[List[int]]) -> int:
        land = {complex(r, c) for r, row in enumerate(grid) for c, cell in enumerate(row) if cell}
        islands = 0
        while land:
            islands += 1
            wave = [land.pop()]
            while wave:
                following = []
                for p in wave:
                    for q in (p + 1, p - 1, p + 1j, p - 1j):
                        if q in land:
                            land.remove(q)
                            following.append(q)
                wave = following
        return islands
