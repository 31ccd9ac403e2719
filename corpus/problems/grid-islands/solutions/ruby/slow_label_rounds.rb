# Every round each land cell takes the least label around it; stops when nothing changes.
def count_islands(grid)
  width = grid[0].size + 1
  far = (grid.size + 2) * width
  label = Array.new(width, far)
  grid.each_with_index do |row, r|
    row.each_with_index { |cell, c| label << (cell == 1 ? r * width + c : far) }
    label << far
  end
  label.concat(Array.new(width, far))
  cells = label.each_index.select { |p| label[p] < far }
  loop do
    fresh = label.dup
    changed = false
    cells.each do |p|
      least = [label[p], label[p - 1], label[p + 1], label[p - width], label[p + width]].min
      if least < label[p]
        fresh[p] = least
        changed = true
      end
    end
    break unless changed
    label = fresh
  end
  cells.map { |p| label[p] }.uniq.size
end
