# Insertion sort that shifts the records one place at a time.
rows = $stdin.read.lines.drop(1).map { |line| name, score = line.split; [name, score.to_i] }
(1...rows.size).each do |k|
  row = rows[k]
  p = k
  while p > 0 && rows[p - 1][1] < row[1]
    rows[p] = rows[p - 1]
    p -= 1
  end
  rows[p] = row
end
rows.each_with_index { |row, i| puts "#{i + 1} #{row[0]} #{row[1]}" }
