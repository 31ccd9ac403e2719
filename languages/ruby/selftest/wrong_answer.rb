n = gets.to_i
puts gets.split.first(n).sum(&:to_i) + 1
