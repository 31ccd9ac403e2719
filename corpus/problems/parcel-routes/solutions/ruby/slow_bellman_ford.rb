# Bellman-Ford with all n - 1 rounds.
n, m = gets.split.map(&:to_i)
roads = Array.new(m) { gets.split.map(&:to_i) }
dist = Array.new(n + 1, Float::INFINITY)
dist[1] = 0
(n - 1).times do
  roads.each do |a, b, w|
    dist[b] = dist[a] + w if dist[a] + w < dist[b]
  end
end
puts dist[1..].map { |d| d == Float::INFINITY ? -1 : d }.join(" ")
