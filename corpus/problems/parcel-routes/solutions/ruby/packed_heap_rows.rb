# Dijkstra with one heap of integers (distance * 2^14 + node), sifted inline, over flat arrays.
data = STDIN.read.split.map!(&:to_i)
n = data[0]
m = data[1]
first = Array.new(n + 1, 0)
follow = Array.new(m + 1, 0)
e = 1
k = 2
while e <= m
  a = data[k]
  follow[e] = first[a]
  first[a] = e
  e += 1
  k += 3
end
INFINITY = 1 << 60
best = Array.new(n + 1, INFINITY)
best[1] = 1
heap = [0, 1]
held = 1
while held > 0
  key = heap[1]
  tail = heap.pop
  held -= 1
  if held > 0
    i = 1
    c = 2
    while c <= held
      low = heap[c]
      if c < held && heap[c + 1] < low
        c += 1
        low = heap[c]
      end
      break if low >= tail
      heap[i] = low
      i = c
      c += c
    end
    heap[i] = tail
  end
  v = key & 16383
  next if key != best[v]
  base = key - v
  e = first[v]
  while e > 0
    k = 3 * e
    u = data[k]
    t = base + (data[k + 1] << 14) + u
    if t < best[u]
      best[u] = t
      held += 1
      i = held
      while i > 1 && (above = heap[i >> 1]) > t
        heap[i] = above
        i >>= 1
      end
      heap[i] = t
    end
    e = follow[e]
  end
end
best.shift
puts best.map { |b| b == INFINITY ? -1 : b >> 14 }.join(" ")
