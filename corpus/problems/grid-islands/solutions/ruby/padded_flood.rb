# Flat copy with a frame of water in a byte string; the search for the next island uses index.
def count_islands(grid)
  width = grid[0].size + 1
  sea = "\0" * width
  land = sea + grid.map { |row| row.pack('C*') + "\0" }.join + sea
  land.force_encoding(Encoding::BINARY)
  islands = 0
  at = 0
  while (at = land.index("\x01", at))
    islands += 1
    land.setbyte(at, 0)
    stack = [at]
    while (p = stack.pop)
      q = p + 1
      if land.getbyte(q) == 1
        land.setbyte(q, 0)
        stack.push(q)
      end
      q = p - 1
      if land.getbyte(q) == 1
        land.setbyte(q, 0)
        stack.push(q)
      end
      q = p + width
      if land.getbyte(q) == 1
        land.setbyte(q, 0)
        stack.push(q)
      end
      q = p - width
      if land.getbyte(q) == 1
        land.setbyte(q, 0)
        stack.push(q)
      end
    end
  end
  islands
end
