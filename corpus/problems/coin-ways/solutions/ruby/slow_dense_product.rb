# Dense polynomial product for every coin.
n, amount, *coins = STDIN.read.split.map(&:to_i)
total = [1] + [0] * amount
coins.each do |c|
  product = [0] * (amount + 1)
  (0..amount).each do |i|
    (0..amount - i).each do |j|
      factor = j % c == 0 ? 1 : 0
      product[i + j] = (product[i + j] + total[i] * factor) % 1_000_000_007
    end
  end
  total = product
end
puts total[amount]
