# Dijkstra without a heap: distances in blocks of about sqrt(n) nodes; Array#min finds the block and the node.
n, m = STDIN.gets.split.map(&:to_i)
roads = Hash.new { |h, k| h[k] = [] }
STDIN.each_line do |line|
  a, b, w = line.split
  roads[a.to_i - 1].push(b.to_i - 1, w.to_i)
end
SIZE = Math.sqrt(n).ceil
FAR = 1 << 60
blocks = Array.new((n + SIZE - 1) / SIZE) { Array.new(SIZE, FAR) }
least = Array.new(blocks.size, FAR)
final = Array.new(n, -1)
blocks[0][0] = 0
least[0] = 0
while (d = least.min) < FAR
  k = least.index(d)
  block = blocks[k]
  i = block.index(d)
  v = k * SIZE + i
  final[v] = d
  block[i] = FAR
  least[k] = block.min
  next unless roads.key?(v)
  roads[v].each_slice(2) do |u, w|
    next if final[u] >= 0
    q, r = u.divmod(SIZE)
    t = d + w
    if t < blocks[q][r]
      blocks[q][r] = t
      least[q] = t if t < least[q]
    end
  end
end
puts final.join(" ")
