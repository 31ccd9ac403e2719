n = gets.to_i
puts (n + 1
puts n
