n = gets.to_i
values = gets.split.map(&:to_i)
puts values.fetch(n) # past the end: IndexError
