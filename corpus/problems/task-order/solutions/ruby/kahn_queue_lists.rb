# Kahn's algorithm with arrays of followers and Array#shift as the queue.
data = STDIN.read.split.map(&:to_i)
n, m = data
after = Array.new(n + 1) { [] }
need = Array.new(n + 1, 0)
1.upto(m) do |i|
  a = data[2 * i]
  b = data[2 * i + 1]
  after[a] << b
  need[b] += 1
end
queue = (1..n).select { |v| need[v] == 0 }
order = []
while (v = queue.shift)
  order << v
  after[v].each do |w|
    need[w] -= 1
    queue << w if need[w] == 0
  end
end
puts order.size == n ? order.join(" ") : "IMPOSSIBLE"
