# Counts sequences of coins, not multisets.
n, amount = gets.split.map(&:to_i)
coins = gets.split.map(&:to_i).sort
ways = [1]
1.upto(amount) do |s|
  total = 0
  coins.each do |c|
    break if c > s
    total += ways[s - c]
  end
  ways << total % 1_000_000_007
end
puts ways[amount]
