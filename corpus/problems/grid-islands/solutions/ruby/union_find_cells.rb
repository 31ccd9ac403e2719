# Union-find over all cells with path halving.
class CellForest
  def initialize(count)
    @parent = (0...count).to_a
  end

  def find(a)
    parent = @parent
    while (up = parent[a]) != a
      a = parent[a] = parent[up]
    end
    a
  end

  def join(a, b)
    a = find(a)
    b = find(b)
    return 0 if a == b
    @parent[b] = a
    1
  end
end

def count_islands(grid)
  cols = grid[0].size
  forest = CellForest.new(grid.size * cols)
  islands = 0
  above = Array.new(cols, 0)
  grid.each_with_index do |row, r|
    left = 0
    row.each_with_index do |cell, c|
      if cell == 1
        id = r * cols + c
        islands += 1
        islands -= forest.join(id - cols, id) if above[c] == 1
        islands -= forest.join(id - 1, id) if left == 1
      end
      left = cell
    end
    above = row
  end
  islands
end
