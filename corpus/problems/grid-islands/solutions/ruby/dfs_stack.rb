# Flood fill with a stack of coordinate pairs; cells are sunk in the grid.
def count_islands(grid)
  rows = grid.size
  cols = grid[0].size
  islands = 0
  rows.times do |r|
    cols.times do |c|
      next if grid[r][c] == 0
      islands += 1
      grid[r][c] = 0
      stack = [[r, c]]
      until stack.empty?
        y, x = stack.pop
        if y > 0 && grid[y - 1][x] == 1
          grid[y - 1][x] = 0
          stack << [y - 1, x]
        end
        if x > 0 && grid[y][x - 1] == 1
          grid[y][x - 1] = 0
          stack << [y, x - 1]
        end
        if y + 1 < rows && grid[y + 1][x] == 1
          grid[y + 1][x] = 0
          stack << [y + 1, x]
        end
        if x + 1 < cols && grid[y][x + 1] == 1
          grid[y][x + 1] = 0
          stack << [y, x + 1]
        end
      end
    end
  end
  islands
end
