# Hash of all land cells, drained island by island.
def count_islands(grid)
  width = grid[0].size + 1
  land = {}
  grid.each_with_index do |row, r|
    row.each_with_index { |cell, c| land[r * width + c] = true if cell == 1 }
  end
  islands = 0
  land.keys.each do |first|
    next unless land.delete(first)
    islands += 1
    open = [first]
    while (p = open.pop)
      open << p + 1 if land.delete(p + 1)
      open << p - 1 if land.delete(p - 1)
      open << p + width if land.delete(p + width)
      open << p - width if land.delete(p - width)
    end
  end
  islands
end
