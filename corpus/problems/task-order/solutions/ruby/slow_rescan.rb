# Looks through all rules again for every task that is placed.
n, m = gets.split.map(&:to_i)
rules = Array.new(m) { gets.split.map(&:to_i) }
done = Array.new(n + 1, false)
order = []
while order.size < n
  blocked = done.dup
  rules.each { |a, b| blocked[b] = true unless done[a] }
  free = (1..n).find { |v| !blocked[v] }
  break if free.nil?
  done[free] = true
  order << free
end
puts order.size == n ? order.join(" ") : "IMPOSSIBLE"
