# Runs of land per row, joined with the overlapping runs of the row above.
def count_islands(grid)
  parent = []
  find = lambda do |a|
    a = parent[a] = parent[parent[a]] while parent[a] != a
    a
  end
  islands = 0
  above = []
  grid.each do |row|
    text = row.pack('C*')
    runs = []
    from = text.index("\x01")
    while from
      to = text.index("\x00", from) || text.size
      runs << [from, to, parent.size]
      parent << parent.size
      islands += 1
      from = text.index("\x01", to)
    end
    i = j = 0
    while i < above.size && j < runs.size
      a = above[i]
      b = runs[j]
      if a[0] < b[1] && b[0] < a[1]
        x = find.call(a[2])
        y = find.call(b[2])
        if x != y
          parent[y] = x
          islands -= 1
        end
      end
      if a[1] < b[1]
        i += 1
      else
        j += 1
      end
    end
    above = runs
  end
  islands
end
