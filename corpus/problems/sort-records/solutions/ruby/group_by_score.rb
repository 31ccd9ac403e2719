# Groups the rows by score with a hash and walks the distinct scores from the top.
groups = Hash.new { |hash, score| hash[score] = [] }
$stdin.gets
$stdin.each_line do |line|
  name, score = line.split
  groups[score.to_i] << name if score
end
place = 0
lines = []
groups.keys.sort.reverse_each do |score|
  groups[score].each do |name|
    place += 1
    lines << format("%d %s %d", place, name, score)
  end
end
puts lines.join("\n")
