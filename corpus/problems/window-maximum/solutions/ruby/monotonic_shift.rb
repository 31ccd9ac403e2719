# Pairs of value and index in an array; the front is shifted away.
n, k, *a = STDIN.read.split.map(&:to_i)
queue = []
out = []
a.each_with_index do |x, i|
  queue.pop until queue.empty? || queue.last[0] > x
  queue.push([x, i])
  queue.shift if queue.first[1] <= i - k
  out.push(queue.first[0]) if i + 1 >= k
end
print out.join(" "), "\n"
