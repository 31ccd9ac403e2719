# Flat indices without regard to row ends.
def count_islands(grid)
  cols = grid[0].size
  flat = grid.flatten
  islands = 0
  flat.each_index do |start|
    next if flat[start] == 0
    islands += 1
    flat[start] = 0
    stack = [start]
    while (p = stack.pop)
      [p - 1, p + 1, p - cols, p + cols].each do |q|
        if q >= 0 && flat[q] == 1
          flat[q] = 0
          stack << q
        end
      end
    end
  end
  islands
end
