# The Ruby reference program: a fixed amount of contest-like work, run right beside every
# measurement as the unit of relative time. It reads nothing and prints one checksum line.
# Changing it changes every relative time.
CELLS = 1 << 17 # references of 8 bytes: 1 MiB
ROUNDS = 3
STEPS = 100_000
COUNTS = 40_000
KEYS = 5003
SORTED = 30_000
MASK = 0x7fffffff

def main
  cells = Array.new(CELLS, 0)
  counts = {}
  x = 12345
  h = 0
  ROUNDS.times do
    STEPS.times do |i|
      x = (x * 1103515245 + 12345) & MASK
      j = (x >> 9) & (CELLS - 1)
      cells[j] = (cells[j] * 3 + (x >> 5) + i) & MASK
    end
    COUNTS.times do |i|
      key = cells[i] % KEYS
      counts[key] = counts.fetch(key, 0) + 1
      h = (h * 31 + counts[key]) & MASK
    end
    cells[0, SORTED].sort.each { |value| h = (h * 31 + value) & MASK }
  end
  puts h
end

main
