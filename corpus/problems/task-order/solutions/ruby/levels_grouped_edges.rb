# Followers grouped in a hash of arrays, peeled level by level, each level sorted
# downwards.
lines = STDIN.read.split("\n")
n, m = lines[0].split(" ").map(&:to_i)
pairs = lines[1, m].map { |s| s.split(" ").map(&:to_i) }
need = Hash.new(0)
pairs.each { |_, b| need[b] += 1 }
after = pairs.group_by(&:first)
level = (1..n).reject { |v| need.key?(v) }
order = []
until level.empty?
  level.sort!.reverse!
  order.concat(level)
  upcoming = []
  level.each do |v|
    next unless after.key?(v)
    after[v].each do |_, w|
      need[w] -= 1
      upcoming << w if need[w].zero?
    end
  end
  level = upcoming
end
puts order.length == n ? order.join(" ") : "IMPOSSIBLE"
