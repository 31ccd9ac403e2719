# Dijkstra with a sorted array as queue: binary search and insertion, a head index that moves on.
lines = STDIN.readlines
n, m = lines[0].split.map(&:to_i)
roads = Array.new(n + 1) { [] }
(1..m).each do |i|
  a, b, w = lines[i].split.map(&:to_i)
  roads[a] << [b, w]
end
dist = { 1 => 0 }
keys = [1]
head = 0
while head < keys.size
  d, v = keys[head].divmod(16_384)
  head += 1
  next if d > dist[v]
  roads[v].each do |u, w|
    t = d + w
    old = dist[u]
    next if old && old <= t
    dist[u] = t
    key = t * 16_384 + u
    spot = (head...keys.size).bsearch { |i| keys[i] > key } || keys.size
    keys.insert(spot, key)
  end
end
puts (1..n).map { |v| dist.fetch(v, -1) }.join(" ")
