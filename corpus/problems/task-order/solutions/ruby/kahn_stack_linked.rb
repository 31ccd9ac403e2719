# Linked edges in flat arrays; free tasks on a stack, lines read one by one.
n, m = gets.split.map(&:to_i)
head = Array.new(n + 1, 0)
link = Array.new(m + 1, 0)
to = Array.new(m + 1, 0)
need = Array.new(n + 1, 0)
e = 0
while e < m
  e += 1
  a, b = gets.split
  a = a.to_i
  b = b.to_i
  to[e] = b
  link[e] = head[a]
  head[a] = e
  need[b] += 1
end
stack = []
n.downto(1) { |v| stack.push(v) if need[v] == 0 }
count = 0
out = +""
until stack.empty?
  v = stack.pop
  out << " " if count > 0
  out << v.to_s
  count += 1
  e = head[v]
  while e != 0
    w = to[e]
    stack.push(w) if (need[w] -= 1) == 0
    e = link[e]
  end
end
puts count < n ? "IMPOSSIBLE" : out
