# sort_by with the pair (falling score, index) as key.
n = gets.to_i
rows = Array.new(n) do
  name, score = gets.split
  [name, score.to_i]
end
rows.each_with_index.sort_by { |row, i| [-row[1], i] }.each_with_index do |(row, _), place|
  puts "#{place + 1} #{row[0]} #{row[1]}"
end
