# Walks along every border between land and water with the land on the right hand.
# A closed walk turns right four times more than left around an island, and the other
# way round along a hole, so islands = walks that turn to the right in total.
class Solution:
    def countIslands(self, grid: List[List[int]]) -> int:
        width = len(grid[0]) + 2
        land = bytearray(width)
        for row in grid:
            land.append(0)
            land += bytes(row)
            land.append(0)
        land += bytes(width)
        ahead = (1, width, -1, -width)
        done = bytearray(len(land))
        islands = 0
        for start in range(width, len(land) - width):
            if not land[start] or land[start - width] or done[start]:
                continue
            cell, d, turns = start, 0, 0
            while True:
                if d == 0:
                    done[cell] = 1
                front = cell + ahead[d]
                if not land[front]:
                    d = (d + 1) & 3
                    turns += 1
                else:
                    side = front + ahead[(d + 3) & 3]
                    if land[side]:
                        cell = side
                        d = (d + 3) & 3
                        turns -= 1
                    else:
                        cell = front
                if cell == start and d == 0:
                    break
            if turns > 0:
                islands += 1
        return islands
