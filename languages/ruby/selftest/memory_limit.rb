n = gets.to_i
total = gets.split.first(n).sum(&:to_i)
# 1 GiB in pieces of 16 MiB, every byte written and one of each piece read back
kept = []
64.times { kept << n.chr * (16 << 20) }
kept.each { |piece| total += piece.getbyte(n) - n }
puts total
