# Reachable sums only, in a hash with default zero.
n, amount = gets.split.map(&:to_i)
ways = Hash.new(0)
ways[0] = 1
gets.split.map(&:to_i).sort.reverse_each do |c|
  c.upto(amount) do |s|
    v = ways[s - c]
    ways[s] = (ways[s] + v) % 1_000_000_007 if v > 0
  end
end
puts ways[amount]
