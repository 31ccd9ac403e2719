# Runs the number of steps on standard input, each with arithmetic, a table and a map.
steps = gets.to_i
cells = Array.new(4096, 0)
counts = Hash.new(0)
x = 12345
h = 0
steps.times do |i|
  x = x * 1103515245 + 12345 & 0xFFFFFFFF
  at = x >> 9 & 4095
  cells[at] = cells[at] * 3 + (x >> 5) + i & 0xFFFFFFFF
  counts[cells[at] % 503] += 1
  h = h * 31 + cells[at] & 0xFFFFFFFF
end
puts "#{h} #{counts.size}"
