# LSD radix sort with 1024 boxes and four passes over the indices.
text = $stdin.read
lines = text.split("\n")
n = lines[0].to_i
keys = lines[1, n].map { |line| 1_000_000_000 - line[line.index(" ")..].to_i }
order = (0...n).to_a
[0, 10, 20, 30].each do |shift|
  boxes = Array.new(1024) { [] }
  order.each { |i| boxes[keys[i] >> shift & 1023] << i }
  order = boxes.flatten(1)
end
place = 0
$stdout.write(order.map { |i| "#{place += 1} #{lines[i + 1]}\n" }.join)
