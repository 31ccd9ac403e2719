# Dijkstra by blocks that takes every road in both directions.
n, m = gets.split.map(&:to_i)
roads = Array.new(n) { [] }
m.times do
  a, b, w = gets.split.map(&:to_i)
  roads[a - 1] << [b - 1, w]
  roads[b - 1] << [a - 1, w]
end
size = Math.sqrt(n).ceil
far = 1 << 60
blocks = Array.new((n + size - 1) / size) { Array.new(size, far) }
least = Array.new(blocks.size, far)
final = Array.new(n, -1)
blocks[0][0] = 0
least[0] = 0
while (d = least.min) < far
  k = least.index(d)
  i = blocks[k].index(d)
  v = k * size + i
  final[v] = d
  blocks[k][i] = far
  least[k] = blocks[k].min
  roads[v].each do |u, w|
    next if final[u] >= 0
    q, r = u.divmod(size)
    blocks[q][r] = [blocks[q][r], d + w].min
    least[q] = [least[q], d + w].min
  end
end
puts final.join(" ")
