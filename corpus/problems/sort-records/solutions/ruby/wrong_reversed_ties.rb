# Sorts by score and index, then turns the list around.
rows = $stdin.read.lines.drop(1).map(&:split)
order = (0...rows.size).sort_by { |i| [rows[i][1].to_i, i] }.reverse
order.each_with_index { |i, p| puts "#{p + 1} #{rows[i].join(' ')}" }
