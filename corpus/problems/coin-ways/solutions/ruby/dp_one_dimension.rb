# One row of counts in a while loop.
n, amount = gets.split.map(&:to_i)
coins = gets.split.map(&:to_i)
mod = 1_000_000_007
ways = Array.new(amount + 1, 0)
ways[0] = 1
coins.each do |c|
  s = c
  while s <= amount
    v = ways[s] + ways[s - c]
    v -= mod if v >= mod
    ways[s] = v
    s += 1
  end
end
puts ways[amount]
