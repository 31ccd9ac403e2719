# Kahn's algorithm with every rule kept once among the followers.
data = STDIN.read.split.map(&:to_i)
n, m = data
after = Array.new(n + 1) { {} }
need = Array.new(n + 1, 0)
1.upto(m) do |i|
  a = data[2 * i]
  b = data[2 * i + 1]
  after[a][b] = true
  need[b] += 1
end
order = (1..n).select { |v| need[v] == 0 }
order.each do |v|
  after[v].each_key do |w|
    need[w] -= 1
    order << w if need[w] == 0
  end
end
puts order.size == n ? order.join(" ") : "IMPOSSIBLE"
