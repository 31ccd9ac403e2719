# Edges packed into single integers and sorted, which gives the rows of followers;
# the answer array is the queue.
data = STDIN.read.split
n = data[0].to_i
m = data[1].to_i
base = 65_536
need = Array.new(n + 1, 0)
edges = Array.new(m) do |i|
  b = data[2 * i + 3].to_i
  need[b] += 1
  data[2 * i + 2].to_i * base + b
end
edges.sort!
first = Array.new(n + 2, 0)
edges.each { |e| first[e / base + 1] += 1 }
1.upto(n + 1) { |v| first[v] += first[v - 1] }
order = []
n.downto(1) { |v| order << v if need[v] == 0 }
at = 0
while at < order.size
  v = order[at]
  at += 1
  k = first[v]
  stop = first[v + 1]
  while k < stop
    w = edges[k] % base
    need[w] -= 1
    order << w if need[w] == 0
    k += 1
  end
end
print order.size == n ? order.join(" ") : "IMPOSSIBLE", "\n"
