# Breadth-first search in waves over flat indices, with a table of seen cells.
def count_islands(grid)
  cols = grid[0].size
  flat = grid.flatten
  seen = Array.new(flat.size, false)
  last = cols - 1
  islands = 0
  flat.each_with_index do |cell, start|
    next if cell == 0 || seen[start]
    islands += 1
    seen[start] = true
    wave = [start]
    until wave.empty?
      following = []
      wave.each do |p|
        column = p % cols
        around = []
        around << p - cols if p >= cols
        around << p + cols if p + cols < flat.size
        around << p - 1 if column > 0
        around << p + 1 if column < last
        around.each do |q|
          if flat[q] == 1 && !seen[q]
            seen[q] = true
            following << q
          end
        end
      end
      wave = following
    end
  end
  islands
end
