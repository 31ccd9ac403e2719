# Two rows for two halves of the coins, joined by a scalar product.
MOD = 1_000_000_007

def row(coins, amount)
  ways = [1] + [0] * amount
  coins.each do |c|
    c.upto(amount) { |s| ways[s] = (ways[s] + ways[s - c]) % MOD }
  end
  ways
end

n, amount = gets.split.map(&:to_i)
coins = gets.split.map(&:to_i)
one = row(coins.first(n / 2), amount)
two = row(coins.drop(n / 2), amount)
total = 0
one.each_with_index { |v, s| total += v * two[amount - s] }
puts total % MOD
