# Blocks of c sums are added as whole slices with zip; remainders once for each coin.
n, amount = gets.split.map(&:to_i)
coins = gets.split.map(&:to_i).select { |c| c <= amount }
g = coins.reduce(0, :gcd)
if g == 0 || amount % g != 0
  puts amount == 0 ? 1 : 0
  exit
end
amount /= g
ways = [1] + [0] * amount
coins.map { |c| c / g }.sort.each do |c|
  if c == 1
    ways = Array.new(amount + 1, 1)
    next
  end
  carry = ways[0, c]
  out = carry.dup
  at = c
  while at <= amount
    carry = ways[at, c].zip(carry).map { |x, y| x + y }
    out.concat(carry)
    at += c
  end
  ways = out.map { |v| v % 1_000_000_007 }
end
puts ways[amount]
