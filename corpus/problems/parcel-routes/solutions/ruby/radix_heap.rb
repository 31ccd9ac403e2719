# Dijkstra with a radix heap: an entry sits in the bucket of the highest bit in which it differs from the last minimum.
values = STDIN.read.split
n = values[0].to_i
m = values[1].to_i
targets = Array.new(n + 1) { [] }
lengths = Array.new(n + 1) { [] }
m.times do |i|
  a = values[3 * i + 2].to_i
  targets[a] << values[3 * i + 3].to_i
  lengths[a] << values[3 * i + 4].to_i
end
far = 1 << 60
dist = Array.new(n + 1, far)
dist[1] = 0
buckets = Array.new(62) { [] }
buckets[0] << 1
last = 0
held = 1
while held > 0
  if buckets[0].empty?
    k = buckets.index { |b| !b.empty? }
    moved = buckets[k]
    buckets[k] = []
    low = moved.min
    last = low >> 14
    moved.each { |key| buckets[((key >> 14) ^ last).bit_length] << key }
  end
  key = buckets[0].pop
  held -= 1
  v = key & 16_383
  d = key >> 14
  next if d > dist[v]
  weight = lengths[v]
  targets[v].each_with_index do |u, j|
    t = d + weight[j]
    next if t >= dist[u]
    dist[u] = t
    buckets[(t ^ last).bit_length] << (t << 14 | u)
    held += 1
  end
end
puts dist.drop(1).map { |d| d == far ? -1 : d }.join(" ")
