# Full table, row by row with blocks.
n, amount, *coins = STDIN.read.split.map(&:to_i)
table = Array.new(n + 1) { Array.new(amount + 1, 0) }
table[0][0] = 1
coins.each_with_index do |c, i|
  (0..amount).each do |s|
    v = table[i][s]
    v += table[i + 1][s - c] if s >= c
    table[i + 1][s] = v % 1_000_000_007
  end
end
puts table[n][amount]
